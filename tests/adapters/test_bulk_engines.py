"""The engines of bulk processing, each as it is installed."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="needs the extra arrow")

import pyarrow as pa

from seemly.adapters.arrow import COLUMNS, ArrowModerator
from seemly.core.channel import Channel, Wordlist
from seemly.core.errors import ConfigError

CHANNEL = Channel(key="bulk", wordlists=(Wordlist("banned", ("forbidden",)),))
ROWS = {"body": ["fine", None, "this is forbidden", "write to jo@example.org"], "n": [1, 2, 3, 4]}
ACTIONS = ["allow", None, "reject", "review"]


def test_daft() -> None:
    daft = pytest.importorskip("daft", reason="needs the extra daft")
    from seemly.adapters.daft import moderate_dataframe

    frame = daft.from_pydict(ROWS)
    found = moderate_dataframe(frame, CHANNEL, text="body", tier="fast").to_pydict()
    assert list(found) == ["body", "n", *COLUMNS]
    assert found["action"] == ACTIONS
    assert found["error"] == [None, "has no text", None, None]
    assert found["modified_text"][3] == "write to {{ email hidden }}"
    with pytest.raises(ConfigError) as raised:
        moderate_dataframe(daft.from_pydict({"action": ["typed"]}), CHANNEL, tier="fast")
    assert [issue.path for issue in raised.value.issues] == ["action", "text"]


@pytest.fixture(scope="module")
def ray() -> Any:
    found = pytest.importorskip("ray", reason="needs the extra ray")
    try:
        found.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    except Exception as error:  # noqa: BLE001  (Ray raises plain Exception if the machine has no room for it)
        pytest.skip(f"Ray does not start here: {type(error).__name__}")
    yield found
    found.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_ray_data(ray: Any) -> None:
    from seemly.adapters.ray import moderate_dataset

    dataset = ray.data.from_arrow(pa.table(ROWS))
    found = moderate_dataset(dataset, CHANNEL, text="body", tier="fast").take_all()
    found.sort(key=lambda row: row["n"])
    assert [row["action"] for row in found] == ACTIONS
    assert set(found[0]) == {"body", "n", *COLUMNS}
    with pytest.raises(ConfigError, match="must be a ray"):
        moderate_dataset(ROWS, CHANNEL, tier="fast")


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb")
    moderator = ArrowModerator(CHANNEL, tier="fast")

    def find_action(texts: Any) -> Any:
        return moderator.moderate_values(texts.to_pylist()).column("action")

    connection = duckdb.connect()
    connection.register("rows", pa.table(ROWS))
    connection.create_function(
        "seemly_action", find_action, ["VARCHAR"], "VARCHAR", type="arrow", null_handling="special"
    )
    found = connection.sql("select n, seemly_action(body) from rows order by n").fetchall()
    assert found == list(zip(ROWS["n"], ACTIONS, strict=True))
