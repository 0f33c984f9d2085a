from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from seemly.cli import bench_messages
from seemly.cli.output import pick
from seemly.cli.streams import printable
from seemly.core.channel import PRESETS, Channel
from seemly.core.naming import to_camel
from seemly.engine.engine import Engine
from seemly.evaluation.progress import Progress
from seemly.testing import FakeModels
from tests.support.cli_console import Terminal, TerminalIn, seemly

SHORT = "recommendation.action"
CUTS = [
    (BrokenPipeError(), 141, ""),
    (KeyboardInterrupt(), 130, "seemly: interrupted\n"),
    (OSError(28, "No space left"), 2, "seemly: the output cannot be written: No space left\n"),
]


def actions(*argv: str, stdin: bytes = b"") -> list[object]:
    return [row[SHORT] for row in seemly("moderate", "--fields", SHORT, *argv, stdin=stdin).rows]


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text('"fine"\n{"text": "look at this", "contentId": "c2"}\n"away with this"\n', encoding="utf-8")
    return path


class TestInputs:
    def test_texts(self) -> None:
        assert actions("fine", "look at this", "away with this") == ["allow", "review", "reject"]

    def test_texts_leave_standard_input_alone(self) -> None:
        assert actions("fine", stdin=b"away with this\n") == ["allow"]

    def test_plain_lines_on_standard_input(self) -> None:
        assert actions(stdin=b"fine\naway with this\n") == ["allow", "reject"]

    def test_json_lines_on_standard_input(self) -> None:
        assert actions(stdin=b'{"text": "away with this"}\n') == ["reject"]

    def test_files_in_order_standard_input_among_them(self, jsonl: Path, tmp_path: Path) -> None:
        table = tmp_path / "rows.CSV"
        table.write_text("id,body\n1,away with this\n", encoding="utf-8")
        outcome = seemly(
            *("moderate", "--file", str(table), "--file", "-", "--file", str(jsonl)),
            *("--text-field", "body", "--fields", SHORT),
            stdin=b"fine\n",
        )
        assert outcome.rows == [
            {"file": str(table), "line": 2, SHORT: "reject"},
            {"file": "-", "line": 1, SHORT: "allow"},
            {"file": str(jsonl), "line": 1, SHORT: "allow"},
            {"file": str(jsonl), "line": 3, SHORT: "reject"},
        ]
        assert outcome.code == 1
        assert f"{jsonl}:2: the field 'body' is missing" in outcome.stderr

    def test_a_format_for_files_whose_suffix_tells_none(self, tmp_path: Path) -> None:
        path = tmp_path / "chat.log"
        path.write_text('"away with this"\n', encoding="utf-8")
        assert actions("--file", str(path), "--format", "jsonl") == ["reject"]
        assert actions("--file", str(path), "--format", "lines") == ["allow"]

    def test_ids_are_kept(self, jsonl: Path) -> None:
        rows = seemly("moderate", "--file", str(jsonl)).rows
        assert [row["line"] for row in rows] == [1, 2, 3]
        assert rows[1]["content"]["id"] == "c2"
        rows = seemly("moderate", "--id-field", "n", stdin=b'{"text": "a", "n": 7}').rows
        assert rows[0]["content"]["id"] == "7"

    def test_a_submission_as_the_interface_has_it(self) -> None:
        row = {
            "content": {"type": "object", "data": {"title": {"type": "text", "text": "away with this"}}},
            "clientAction": {"action": "reject", "behavior": "override"},
        }
        (result,) = seemly("moderate", stdin=json.dumps(row).encode()).rows
        assert result["recommendation"] == {"action": "reject", "reason_codes": ["client_override"]}
        assert {each["id"]: each["flagged_fields"] for each in result["policies"]}["toxicity"] == ["title"]

    def test_nothing_in_nothing_out(self) -> None:
        outcome = seemly("moderate")
        assert (outcome.code, outcome.stdout, outcome.stderr) == (0, "", "")

    @pytest.mark.parametrize("size", ["1", "2", "100"])
    def test_batches_of_any_size_keep_the_order(self, size: str) -> None:
        given = ["fine", "look at this", "away with this", "fine", "look at this"]
        data = b'"%s"\n{bad\n' * len(given) % tuple(text.encode() for text in given)
        outcome = seemly("moderate", "--batch-size", size, "--fields", SHORT, "--format", "jsonl", stdin=data)
        assert [row["line"] for row in outcome.rows] == [1, 3, 5, 7, 9]
        assert [row[SHORT] for row in outcome.rows] == ["allow", "review", "reject", "allow", "review"]
        assert outcome.stderr.count("not valid JSON") == len(given)

    def test_reads_no_further_ahead_than_a_batch(self) -> None:
        class Stream(io.BytesIO):
            def readline(self, size: int | None = -1, /) -> bytes:
                read.append(len(out.getvalue().splitlines()))
                return super().readline(size)

        read: list[int] = []
        out = io.StringIO()
        seemly("moderate", "--batch-size", "2", stdin=Stream(b"fine\n" * 7), stdout=out)
        assert read == [0, 0, 2, 2, 4, 4, 6, 6]


class TestBadRows:
    def test_are_named_and_the_run_goes_on(self) -> None:
        data = b'"fine"\n{"text": "secret\n[1]\n"' + b"x" * 100_001 + b'"\n\xff\n"away with this"\n'
        outcome = seemly("moderate", "--fields", SHORT, stdin=data)
        assert outcome.code == 1
        assert outcome.rows == [{"line": 1, SHORT: "allow"}, {"line": 6, SHORT: "reject"}]
        assert outcome.stderr.splitlines()[:4] == [
            "seemly: line 2: not valid JSON: Unterminated string starting at (column 10)",
            "seemly: line 3: must be a JSON string or object",
            "seemly: line 4: content.text: must have at most 100,000 characters",
            "seemly: line 5: not valid UTF-8",
        ]
        assert ", 4 bad" in outcome.stderr.splitlines()[4]
        assert "secret" not in outcome.stderr

    def test_every_issue_of_a_row_is_told(self) -> None:
        row = b'{"content": {"type": "text", "text": 1}, "metaType": "x", "policies": [{"id": "no"}]}'
        outcome = seemly("moderate", stdin=row)
        assert "line 1: content.text: must be a string; metaType: must be one of" in outcome.stderr

    def test_an_unknown_policy_asked_for_by_a_row(self) -> None:
        outcome = seemly("moderate", stdin=b'{"content": "fine", "policies": [{"id": "no_such"}]}\n"fine"\n')
        assert (outcome.code, len(outcome.rows)) == (1, 1)

    def test_an_argument_that_is_not_utf8(self) -> None:
        outcome = seemly("moderate", "fine", "caf\udce9")
        assert (outcome.code, len(outcome.rows)) == (1, 1)
        assert "seemly: argument 2: not valid UTF-8" in outcome.stderr

    def test_hostile_names_cannot_drive_the_terminal(self) -> None:
        row = json.dumps({"content": {"type": "object", "data": {"\x1b[2J": 1}}}).encode()
        outcome = seemly("moderate", stdin=row)
        assert outcome.code == 1
        assert "\x1b" not in outcome.stderr
        assert r"content.data.\x1b[2J" in outcome.stderr


class TestExitCodes:
    @pytest.mark.parametrize(
        ("argv", "code"),
        [
            (["fine"], 0),
            (["away with this"], 0),
            (["--fail-on", "review", "fine"], 0),
            (["--fail-on", "review", "look at this"], 3),
            (["--fail-on", "review", "away with this"], 3),
            (["--fail-on", "reject", "look at this"], 0),
            (["--fail-on", "reject", "away with this", "fine"], 3),
            (["--fail-on", "reject", "fine", "\udcff"], 1),
            (["--fail-on", "reject", "away with this", "\udcff"], 3),
        ],
    )
    def test_of_a_run(self, argv: list[str], code: int) -> None:
        assert seemly("moderate", *argv).code == code

    @pytest.mark.parametrize(
        ("argv", "said"),
        [
            ([], "required: COMMAND"),
            (["nonsense"], "invalid choice: 'nonsense'"),
            (["moderate", "--nonsense"], "unrecognized arguments"),
            (["moderate", "--chan", "x"], "unrecognized arguments"),
            (["moderate", "--format", "xml", "a"], "invalid choice"),
            (["moderate", "--batch-size", "0", "a"], "--batch-size: must be at least 1"),
            (["moderate", "--file", "-", "a"], "not both"),
            (["moderate", "--file", "-", "--file", "-"], "only once"),
            (["moderate", "--file", "/no/such.csv"], "/no/such.csv: is not there"),
            (["moderate", "--file", "/"], "/: is a folder"),
            (["moderate", "--channel", "/no/such.toml", "a"], "/no/such.toml cannot be read"),
            (["moderate", "--fields", "evaluation.severty", "a"], "evaluation.severty: evaluation has flagged,"),
            (["moderate", "--fields", "trace.rule", "a"], "trace.rule: there is no 'trace'"),
            (["moderate", "--fields", "policies.hat", "a"], "policies.hat: no policy of that name runs"),
            (["moderate", "--fields", "policies.hate.p", "a"], "policies.hate.p: a policy has id,"),
            (["init", "channel.json"], "name it .toml"),
            (["init", "/no/such/channel.toml"], "cannot be written"),
            (["init", "-", "--key", ""], "key: must have at least 1"),
            (["init", "-", "--key", "a\nb"], "must be printable"),
        ],
    )
    def test_unusable_command_lines(self, argv: list[str], said: str) -> None:
        outcome = seemly(*argv)
        assert (outcome.code, outcome.stdout) == (2, "")
        assert said in outcome.stderr

    def test_nothing_given_at_a_terminal(self) -> None:
        outcome = seemly("moderate", stdin=TerminalIn())
        assert outcome.code == 2
        assert "nothing to moderate" in outcome.stderr

    def test_every_problem_of_a_channel_at_once(self, tmp_path: Path) -> None:
        path = tmp_path / "channel.json"
        path.write_text('{"key": "", "frameCaptureInterval": 99, "colour": 1}', encoding="utf-8")
        outcome = seemly("moderate", "--channel", str(path), "a")
        assert (outcome.code, outcome.stdout) == (2, "")
        assert len(outcome.stderr.splitlines()) == 4
        assert all(name in outcome.stderr for name in ("  key: ", "  frameCaptureInterval: ", "  colour: "))

    def test_every_problem_of_the_inputs_at_once(self, tmp_path: Path) -> None:
        (tmp_path / "a.log").touch()
        outcome = seemly("moderate", "--file", str(tmp_path / "a.log"), "--file", str(tmp_path / "b.xml"))
        assert outcome.stderr.count("give --format") == 2
        assert outcome.stderr.count("is not there") == 1

    @pytest.mark.parametrize(("error", "code", "said"), CUTS)
    def test_a_run_that_is_cut_short(self, error: BaseException, code: int, said: str) -> None:
        class Cut(io.StringIO):
            def write(self, _text: str, /) -> int:
                raise error

        outcome = seemly("moderate", "a", stdout=Cut())
        assert (outcome.code, outcome.stderr) == (code, said)


class TestOutput:
    def test_is_ascii_json_of_the_whole_result(self) -> None:
        outcome = seemly("moderate", "größe 🙂 \x85")
        assert outcome.stdout.isascii()
        (row,) = outcome.rows
        expected = Engine(models=FakeModels()).moderate("größe 🙂 \x85").to_dict()
        assert list(row) == ["line", *expected]
        assert row["policies"] == expected["policies"]

    def test_paths(self) -> None:
        paths = "recommendation.action,evaluation,policies.toxicity.probability,policies.0.id,content.modified"
        (row,) = seemly("moderate", "--fields", paths, "look at this").rows
        assert list(row) == ["line", *paths.split(",")]
        assert row["policies.0.id"] == "toxicity"
        assert row["policies.toxicity.probability"] == pytest.approx(0.7)
        assert row["evaluation"]["flagged"] is True
        assert row["content.modified"] is None

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("", {"a": [{"id": "wordlist:x.y", "p": 1}, {"id": "0", "p": 2}]}),
            ("a.wordlist:x.y.p", 1),
            ("a.0.p", 2),
            ("a.1.p", 2),
            ("a.2", None),
            ("a.wordlist:x.y.p.q", None),
            ("b", None),
        ],
    )
    def test_a_path_through_lists(self, path: str, value: object) -> None:
        assert pick({"a": [{"id": "wordlist:x.y", "p": 1}, {"id": "0", "p": 2}]}, path) == value

    def test_extended(self) -> None:
        (row,) = seemly("moderate", "--extended", "look at this").rows
        assert row["trace"]["policy"] == "toxicity"
        (row,) = seemly("moderate", "--extended", "--fields", "trace.policy", "look at this").rows
        assert row == {"line": 1, "trace.policy": "toxicity"}

    @pytest.mark.parametrize("argv", [["moderate", "--explain"], ["explain"]])
    def test_explained(self, argv: list[str]) -> None:
        outcome = seemly(*argv, "--format", "jsonl", stdin=b'"look at this"\n4\n{"type": "text"}\n')
        (row,) = outcome.rows
        assert row["explanation"]["decision"].startswith("review: ")
        assert row["recommendation"]["action"] == "review"
        words = {each["id"]: each["words"] for each in row["explanation"]["policies"]}["toxicity"]
        assert {word["text"] for word in words} == {"look", "at", "this"}
        assert outcome.code == 1
        assert "line 2: " in outcome.stderr
        assert "line 3: content.text: is missing" in outcome.stderr

    def test_a_channel_file_decides(self, tmp_path: Path) -> None:
        path = tmp_path / "channel.toml"
        path.write_text('triage = "review_everything"\nflaggingMode = "DRY_RUN"\n', encoding="utf-8")
        (row,) = seemly("moderate", "--channel", str(path), "--extended", "fine").rows
        assert row["recommendation"] == {"action": "allow", "reason_codes": ["dry_run"]}
        assert row["trace"]["would_be"]["action"] == "review"

    @pytest.mark.parametrize("reads", [False, True])
    def test_context_is_remembered_where_the_channel_reads_it(self, reads: bool, tmp_path: Path) -> None:
        path = tmp_path / "channel.json"
        path.write_text(json.dumps({"contextEnabled": reads}), encoding="utf-8")
        rows = [{"text": text, "conversationId": "c"} for text in ("my number is +44 20", "7946 0958")]
        data = "\n".join(map(json.dumps, rows)).encode()
        path_of = "policies.personal_information.flagged"
        outcome = seemly("moderate", "--channel", str(path), "--fields", path_of, stdin=data)
        assert [row[path_of] for row in outcome.rows] == [False, reads]


class TestTerminal:
    def test_texts_have_a_summary(self) -> None:
        outcome = seemly("moderate", "away with this", stdout=Terminal())
        first, *rest = outcome.stdout.splitlines()
        assert first.startswith("reject  (severity_reject)  severity 0.99")
        assert rest[0].split() == ["toxicity", "0.99", "flagged"]
        assert rest[1].split() == ["violence", "0.95", "flagged"]

    def test_a_summary_has_spans_and_the_masked_text(self) -> None:
        outcome = seemly("moderate", "write to jo@example.com\n\x1b[31m", "fine", stdout=Terminal())
        assert "> write to jo@example.com\\n\\x1b[31m" in outcome.stdout
        assert "9-23  email jo@example.com" in outcome.stdout
        assert "masked: write to {{ email hidden }}\\n\\x1b[31m" in outcome.stdout
        assert "\x1b" not in outcome.stdout
        assert "> fine\nallow  severity" in outcome.stdout

    def test_a_summary_can_explain(self) -> None:
        outcome = seemly("explain", "look at this", stdout=Terminal())
        assert "  because: review: the largest severity, 0.70" in outcome.stdout
        assert "  toxicity: look 33%" in outcome.stdout

    @pytest.mark.parametrize("argv", [["--json"], ["--fields", SHORT]])
    def test_json_where_it_is_asked_for(self, argv: list[str]) -> None:
        assert len(seemly("moderate", *argv, "fine", stdout=Terminal()).rows) == 1

    def test_rows_are_always_json(self) -> None:
        assert len(seemly("moderate", stdin=b"fine\n", stdout=Terminal()).rows) == 1

    def test_progress_is_drawn_and_wiped(self, jsonl: Path) -> None:
        outcome = seemly("moderate", "--file", str(jsonl), stderr=Terminal())
        drawn, _, last = outcome.stderr.rpartition("\r\x1b[K")
        assert drawn.startswith("\r[########################] 100%  1 done, ")
        assert last.startswith("seemly: 3 done, ")

    @pytest.mark.parametrize(
        "argv",
        [["--quiet"], ["--quiet", "--fail-on", "review"]],
    )
    def test_quiet(self, argv: list[str], jsonl: Path) -> None:
        assert seemly("moderate", *argv, "--file", str(jsonl), stderr=Terminal()).stderr == ""

    def test_no_progress_where_the_results_stand(self, jsonl: Path) -> None:
        outcome = seemly("moderate", "--file", str(jsonl), stdout=Terminal(), stderr=Terminal())
        assert "\r" not in outcome.stderr

    def test_progress_without_a_size(self) -> None:
        stream = io.StringIO()
        progress = Progress(stream, total=None, shown=True)
        progress.step()
        assert stream.getvalue().startswith("\r1 done, ")

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("größe 🙂", "größe 🙂"),
            ("a\nb", "a\\nb"),
            ("\x1b[0m", "\\x1b[0m"),
            ("a\u202eb", "a\\u202eb"),
            ("\ud800", "\\ud800"),
        ],
    )
    def test_printable(self, text: str, shown: str) -> None:
        assert printable(text) == shown


def template() -> str:
    return files("seemly").joinpath("data", "channel.toml").read_text(encoding="utf-8")


def examples(text: str) -> str:
    """The template with its examples taken up: lines that begin with `#` and no space."""
    return "\n".join(
        line[1:] if line[:1] == "#" and line[:2] not in ("#", "# ") else line for line in text.splitlines()
    )


def documented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        name, found, _ = line.removeprefix("#").partition(" = ")
        if found and name.isidentifier():
            yield name


class TestInit:
    def test_writes_a_channel_of_defaults(self, tmp_path: Path) -> None:
        path = tmp_path / "channel.toml"
        outcome = seemly("init", str(path), "--key", 'größe "1"')
        assert outcome.code == 0
        assert Channel.load(path) == Channel(key='größe "1"')
        assert str(path) in outcome.stderr

    def test_writes_to_standard_output(self) -> None:
        outcome = seemly("init", "-")
        assert Channel.parse(tomllib.loads(outcome.stdout)) == Channel()

    def test_never_overwrites_unless_forced(self, tmp_path: Path) -> None:
        path = tmp_path / "channel.toml"
        path.write_text("mine", encoding="utf-8")
        outcome = seemly("init", str(path))
        assert outcome.code == 2
        assert "is there already" in outcome.stderr
        assert path.read_text(encoding="utf-8") == "mine"
        assert seemly("init", str(path), "--force").code == 0
        assert Channel.load(path) == Channel()

    def test_every_setting_stands_there(self) -> None:
        live = tomllib.loads(template())
        lists = {"policies", "wordlists", "hashlists", "rules"}
        expected = {to_camel(each.name) for each in fields(Channel)}
        assert set(documented(template())) | lists >= expected
        optional = {"name", "description", "contentType"}
        assert set(live) == expected - lists - optional

    def test_its_examples_work(self) -> None:
        channel = Channel.parse(tomllib.loads(examples(template())))
        assert len(channel.policies) == 4
        assert len(channel.wordlists) == 2
        assert len(channel.hashlists) == 1
        assert len(channel.rules) == 2
        engine = Engine(channel, models=FakeModels())
        assert "flirtation" not in engine.policies

    def test_its_presets_are_those_there_are(self) -> None:
        prose = template()
        for name, triage in PRESETS.items():
            review, reject = (
                f"{value:.2f}".removeprefix("0").removesuffix(".00") for value in (triage.review, triage.reject)
            )
            assert f"{name} {review.replace('.00', '0') or '0'}/{reject}" in prose, name

    def test_its_example_of_triage_works(self) -> None:
        (line,) = (line for line in template().splitlines() if line.startswith("#   triage = {"))
        assert Channel.parse(tomllib.loads(line.removeprefix("#   "))).triage.trusted_from == 3


class TestListing:
    def test_policies(self) -> None:
        outcome = seemly("policies")
        head, *rows = outcome.stdout.splitlines()
        assert head.split() == ["policy", "type", "flag", "threshold", "weight"]
        table = {row.split()[0]: row.split()[1:] for row in rows}
        assert table["toxicity"] == ["classifier", "yes", "0.50", "1.00"]
        assert table["flirtation"] == ["classifier", "no", "0.50", "0.60"]
        assert list(table) == list(Engine(models=FakeModels()).policies)

    def test_policies_of_a_channel_as_json(self, tmp_path: Path) -> None:
        path = tmp_path / "channel.json"
        channel = {"policies": [{"id": "hate", "threshold": 0.8}], "wordlists": [{"key": "mine", "words": ["x"]}]}
        path.write_text(json.dumps(channel), encoding="utf-8")
        table = {row["id"]: row for row in seemly("policies", "--channel", str(path), "--json").rows}
        assert table["hate"]["threshold"] == 0.8
        assert table["wordlist:mine"]["type"] == "entity_matcher"

    def test_schema(self) -> None:
        schema = json.loads(seemly("schema").stdout)
        validator = Draft202012Validator(schema)
        validator.validate(Channel().dump())
        validator.validate(tomllib.loads(template()))
        assert not validator.is_valid({"key": ""})

    def test_version(self) -> None:
        outcome = seemly("--version")
        assert (outcome.code, outcome.stdout) == (0, "seemly 0.1.0\n")

    @pytest.mark.parametrize("command", [[], ["moderate"], ["init"], ["bench"]])
    def test_help(self, command: list[str]) -> None:
        outcome = seemly(*command, "--help")
        assert outcome.code == 0
        assert outcome.stdout.startswith("usage: seemly")

    def test_help_tells_the_exit_codes(self) -> None:
        assert "3  --fail-on was met" in seemly("moderate", "--help").stdout


class TestSamples:
    def test_are_distinct_and_of_the_length_that_is_claimed(self) -> None:
        messages = bench_messages.english(1_000)
        assert len(set(messages)) == 1_000
        assert 190 <= sum(map(len, messages)) / len(messages) <= 210
        assert not set(messages) & set(bench_messages.english(1_000, first=1_000))
        assert sum("@example" in message or "://" in message for message in messages) >= 30

    def test_long_texts_are_as_long_as_a_text_may_be(self) -> None:
        assert len(bench_messages.long_text()) == len(bench_messages.mixed_scripts()) == bench_messages.LONGEST
        assert bench_messages.long_text().isascii()
