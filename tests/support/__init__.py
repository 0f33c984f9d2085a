"""What several tests share: fakes, worlds, servers and strategies."""
