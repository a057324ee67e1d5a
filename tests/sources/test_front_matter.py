"""Front matter becomes values, or a problem and as much as can be saved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.sources.front_matter import MAX_CHARACTERS, FrontMatter, read_front_matter


def yaml(text: str) -> FrontMatter:
    return read_front_matter(text, "yaml")


def test_yaml_values_are_as_json_knows_them() -> None:
    read = yaml("title: A\ndate: 2026-11-30\nwhen: 2026-11-30T10:00:00Z\nn: 3\nok: yes\nempty:\n")
    assert read.problems == ()
    assert read.values == {
        "title": "A",
        "date": "2026-11-30",
        "when": "2026-11-30T10:00:00+00:00",
        "n": 3,
        "ok": True,
        "empty": None,
    }


def test_toml_is_read_like_yaml() -> None:
    read = read_front_matter('title = "A"\ndate = 2026-11-30\ntags = ["x"]\n', "toml")
    assert read == FrontMatter({"title": "A", "date": "2026-11-30", "tags": ["x"]})


@pytest.mark.parametrize(
    ("text", "form", "line", "said"),
    [
        ("title: A\nargs: [one] [two]\n", "yaml", 3, "not valid YAML"),
        ("title: {{ name }}\n", "yaml", 2, "not valid YAML"),
        ("title: A\n\tb: c\n", "yaml", 3, "not valid YAML"),
        ("date: 2026-99-99\n", "yaml", 2, "not valid YAML"),
        ("n: " + "1" * 5_000, "yaml", 2, "not valid YAML"),
        ("flag: !!bool maybe\n", "yaml", 2, "not valid YAML"),
        ("run: !!python/object/apply:os.system [ls]\n", "yaml", 2, "not valid YAML"),
        ("a: 1\n---\nb: 2\n", "yaml", 3, "not valid YAML"),
        ("a: " + "[" * 20_000, "yaml", 2, "not valid YAML"),
        ("a: \x01\n", "yaml", 2, "not valid YAML"),
        ("- a\n- b\n", "yaml", 2, "is a list"),
        ("Just a sentence.\n", "yaml", 2, "is a text"),
        ("a: &x [1]\nb: *x\n", "yaml", 3, "alias"),
        ("a: " + "[" * 30 + "]" * 30, "yaml", 2, "more than 20 deep"),
        ("a: b\n" + "#" * MAX_CHARACTERS, "yaml", 1, "65,541 characters"),
        ('title = "A"\nb = \n', "toml", 3, "not valid TOML"),
        ("a = " + "[" * 5_000, "toml", 2, "not valid TOML"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else str(value),
)
def test_what_cannot_be_read_is_a_problem_with_its_line(
    text: str, form: str, line: int, said: str
) -> None:
    (problem,) = read_front_matter(text, form).problems
    assert problem.line == line
    assert said in problem.message
    assert problem.message.endswith("the text below it is indexed")
    assert "\n" not in problem.message


def test_a_bomb_of_aliases_is_refused_before_it_is_built() -> None:
    bomb = "a0: &a0 {x: 1}\n" + "".join(
        f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 60)
    )
    (problem,) = yaml(bomb).problems
    assert "alias" in problem.message


def test_a_repeated_key_is_reported_and_the_last_one_counts() -> None:
    read = yaml("title: A\ntags: [x]\ntitle: B\n")
    assert read.values == {"title": "B", "tags": ["x"]}
    (problem,) = read.problems
    assert (problem.line, "'title'" in problem.message) == (4, True)


def test_a_draft_stays_a_draft_in_broken_front_matter() -> None:
    read = yaml('title: "A" B\ndescription: Use when: always\ndraft: true\ntags: [a, b]\n')
    assert len(read.problems) == 1
    assert read.values == {
        "title": 'A" B',
        "description": "Use when: always",
        "draft": True,
        "tags": ["a", "b"],
    }


def test_nothing_between_the_delimiters_is_no_problem() -> None:
    assert yaml("") == yaml("# only a comment\n") == FrontMatter({})


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "a: ",
                    "b:",
                    "- ",
                    "[",
                    "]",
                    "{",
                    "}",
                    "\n",
                    "  ",
                    '"',
                    "'",
                    "|",
                    ">",
                    "&x ",
                    "*x",
                ),
                *("!!int ", "!!set ", "!!binary ", "#", "? ", "1", "2026-01-01", "0x", "~", ".inf"),
                *("<<: ", "\t", "%", "@", "é", "\x85", "\ufffd", "1:2", "---", "..."),
            ]
        ),
        max_size=25,
    ).map("".join),
    st.sampled_from(["yaml", "toml"]),
)
def test_any_text_gives_values_or_problems_never_an_error(text: str, form: str) -> None:
    read = read_front_matter(text, form)
    assert all(isinstance(key, str) for key in read.values)
    for problem in read.problems:
        assert 1 <= problem.line <= text.count("\n") + 3
