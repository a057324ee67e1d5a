import pytest

from pit_memory.core.corpus.corpora import DEFAULT_RULES, CorpusRule, corpora_among, folders_to_list


def found(paths: list[str], *rules: CorpusRule) -> dict[str, tuple[str, ...]]:
    corpora = corpora_among(paths, rules or DEFAULT_RULES)
    return {corpus.index_path: corpus.files for corpus in corpora if corpus.is_indexed}


def test_a_plugin_at_the_top_of_a_repository_is_one_corpus():
    paths = ["README.md", "knowledge/b.md", "knowledge/a.md", "skills/x/SKILL.md", "skills/x/y.md"]
    assert found(paths) == {
        "knowledge/index.json": ("knowledge/a.md", "knowledge/b.md", "skills/x/SKILL.md")
    }


def test_a_marketplace_has_one_corpus_for_each_plugin():
    paths = ["plugins/b/knowledge/x.md", "plugins/a/skills/s/SKILL.md", "plugins/a/README.md"]
    assert found(paths) == {
        "plugins/a/knowledge/index.json": ("skills/s/SKILL.md",),
        "plugins/b/knowledge/index.json": ("knowledge/x.md",),
    }


def test_a_tree_without_corpus_files_has_no_corpus():
    assert found(["README.md", "docs/knowledge/a.md", "src/plugins/x/knowledge/a.md"]) == {}


def test_an_index_whose_files_are_all_gone_is_still_a_corpus():
    (corpus,) = corpora_among(["knowledge/index.json"], DEFAULT_RULES)
    assert (corpus.files, corpus.has_index, corpus.is_indexed) == ((), True, True)


def test_prose_alone_is_no_corpus_to_index_but_is_prose_to_check():
    (corpus,) = corpora_among(["CLAUDE.md"], DEFAULT_RULES)
    assert (corpus.prose, corpus.is_indexed) == (("CLAUDE.md",), False)


def test_folders_below_knowledge_are_not_in_the_default_corpus():
    assert found(["knowledge/deep/a.md", "knowledge/a.txt"]) == {}


def test_several_rules_give_several_indexes_in_one_repository():
    rules = (
        CorpusRule(root="guides", files=("**/*.md",), index="index.json"),
        CorpusRule(root="teams/*", files=("*.md",), index="sections.json"),
    )
    paths = ["guides/a.md", "guides/b/c.md", "teams/x/d.md", "teams/x/deep/e.md", "teams/f.md"]
    assert found(paths, *rules) == {
        "guides/index.json": ("a.md", "b/c.md"),
        "teams/x/sections.json": ("d.md", "deep/e.md"),
    }


def test_two_rules_that_write_one_index_make_one_corpus():
    rules = (CorpusRule(files=("knowledge/*.md",)), CorpusRule(files=("more/*.md",)))
    assert found(["knowledge/a.md", "more/b.md"], *rules) == {
        "knowledge/index.json": ("knowledge/a.md", "more/b.md")
    }


@pytest.mark.parametrize(
    ("path", "globs", "matches"),
    [
        (".claude/knowledge/a.md", ("**/*.md",), False),
        (".claude/knowledge/a.md", (".claude/knowledge/*.md",), True),
        (".claude/knowledge/.a.md", ("**/.claude/**",), True),
        ("knowledge/.a.md", ("knowledge/*.md",), False),
    ],
)
def test_hidden_folders_and_files_are_in_a_corpus_only_when_named(
    path: str, globs: tuple[str, ...], matches: bool
):
    assert bool(found([path], CorpusRule(files=globs))) is matches


def test_a_hidden_plugin_folder_is_no_corpus():
    assert found(["plugins/.cache/knowledge/a.md"]) == {}


def test_prose_is_what_agents_are_told_not_the_corpus_alone():
    paths = ["knowledge/a.md", "agents/x.md", "CLAUDE.md", "docs/CLAUDE.md", "skills/s/SKILL.md"]
    (corpus,) = corpora_among(paths, DEFAULT_RULES)
    assert corpus.prose == ("CLAUDE.md", "agents/x.md", "skills/s/SKILL.md")


def test_only_folders_that_a_rule_can_match_are_listed():
    assert folders_to_list((CorpusRule(prose=()),)) == (
        "knowledge",
        "knowledge/index.json",
        "skills",
    )
    assert folders_to_list((CorpusRule(root="plugins/*"),)) == ("plugins",)
    assert folders_to_list((CorpusRule(root="a", files=("*.md",), prose=()),)) == (
        "a",
        "a/knowledge/index.json",
    )
    assert folders_to_list((CorpusRule(files=("*.md",)),)) == (".",)
