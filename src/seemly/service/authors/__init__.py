"""Authors: records, blocks, trust levels."""
