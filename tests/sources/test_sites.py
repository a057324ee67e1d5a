"""Sites of four generators: where a page is published, by their configuration."""

from pathlib import Path

import pytest

from pit_memory.core.documents.sections import split
from pit_memory.core.web.site_anchors import site_anchors
from pit_memory.core.web.sites import Site, page_address
from pit_memory.sources.sites import find_site
from tests.builders import write_files

MKDOCS = "site_name: X\nsite_url: https://x.example/d\n"
DOCUSAURUS = """\
export default {
  // url: 'https://old.example',
  url: 'https://x.example',
  baseUrl: '/d/',
  presets: [['classic', { docs: { routeBasePath: 'guide' } }]],
};
"""
HUGO = 'baseURL = "https://x.example/d/"\n'


def site_of(tmp_path: Path, name: str, text: str) -> Site:
    site = find_site(write_files(tmp_path, {name: text}))
    assert site is not None
    return site


def address(site: Site, path: str, exists: tuple[str, ...] = (), **front: object) -> str | None:
    return page_address(site, path, front, lambda inside: inside in exists)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/index.md", "https://x.example/d/"),
        ("docs/a.md", "https://x.example/d/a/"),
        ("docs/a b/é.md", "https://x.example/d/a%20b/%C3%A9/"),
        ("docs/ops/README.md", "https://x.example/d/ops/"),
        ("README.md", None),
        ("docs/.hidden/a.md", None),
        ("docs/_drafts/a.md", None),
        ("docs/a.txt", None),
    ],
)
def test_mkdocs_publishes_a_page_in_a_folder_of_its_name(tmp_path, path, expected):
    site = site_of(tmp_path, "mkdocs.yml", MKDOCS + "exclude_docs: |\n  _drafts/\n")
    assert address(site, path) == expected


def test_two_files_for_one_address_have_none(tmp_path):
    site = site_of(tmp_path, "mkdocs.yml", MKDOCS)
    assert address(site, "docs/a.md", ("a/README.md",)) is None
    assert address(site, "docs/a/README.md", ("a.md",)) is None
    assert address(site, "docs/a/README.md", ("a/index.md",)) is None


def test_a_draft_has_no_address(tmp_path):
    site = site_of(tmp_path, "mkdocs.yml", MKDOCS)
    assert address(site, "docs/a.md", draft=True) is None


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("use_directory_urls: false\n", "https://x.example/d/a.html"),
        ("docs_dir: docs/\n", "https://x.example/d/a/"),
        ("plugins:\n  - i18n\n", None),
        ("plugins:\n  - mike:\n      canonical_version: latest\n", "https://x.example/d/latest/a/"),
        ("plugins: [mike]\n", None),
        ("INHERIT: base.yml\n", None),
        ("extra:\n  key: !ENV [KEY, none]\n", "https://x.example/d/a/"),
    ],
)
def test_options_of_mkdocs_that_move_pages_are_known_or_refused(tmp_path, more, expected):
    assert address(site_of(tmp_path, "mkdocs.yml", MKDOCS + more), "docs/a.md") == expected


def test_posts_of_a_blog_have_addresses_of_their_own(tmp_path):
    site = site_of(tmp_path, "mkdocs.yml", MKDOCS + "plugins:\n  - blog\n")
    assert address(site, "docs/blog/posts/a.md") is None
    assert address(site, "docs/a.md") == "https://x.example/d/a/"


@pytest.mark.parametrize(
    "text",
    [
        "site_name: X\n",
        "site_url: !ENV SITE\n",
        "site_url: x.example\n",
        "- a\n",
        ": [",
        "a: &a *a",
    ],
)
def test_a_site_without_an_address_or_a_readable_configuration_gives_none(tmp_path, text):
    site = find_site(write_files(tmp_path, {"mkdocs.yml": text}))
    assert site is None or address(site, "docs/a.md") is None


def test_zensical_is_read_like_mkdocs_from_its_own_file(tmp_path):
    text = '[project]\nsite_url = "https://x.example/d/"\ndocs_dir = "pages"\n'
    site = site_of(tmp_path, "zensical.toml", text)
    assert (site.generator, site.attribute_lists) == ("zensical", True)
    assert address(site, "pages/a.md") == "https://x.example/d/a/"


@pytest.mark.parametrize(
    ("path", "front", "expected"),
    [
        ("docs/01-intro/02_setup.md", {}, "https://x.example/d/guide/intro/setup"),
        ("docs/ops/index.mdx", {}, "https://x.example/d/guide/ops"),
        ("docs/ops/ops.md", {}, "https://x.example/d/guide/ops"),
        ("docs/a.md", {"slug": "/b"}, "https://x.example/d/guide/b"),
        ("docs/x/a.md", {"slug": "b"}, "https://x.example/d/guide/x/b"),
        ("docs/x/a.md", {"id": "b"}, "https://x.example/d/guide/x/b"),
        ("docs/2024-01-02-a.md", {}, "https://x.example/d/guide/2024-01-02-a"),
        ("docs/_part.md", {}, None),
    ],
)
def test_docusaurus_drops_numbers_and_takes_slugs(tmp_path, path, front, expected):
    site = site_of(tmp_path, "docusaurus.config.ts", DOCUSAURUS)
    assert address(site, path, **front) == expected


def test_a_site_in_a_folder_of_the_project_is_found(tmp_path):
    text = DOCUSAURUS.replace("routeBasePath", "path: '../handbook', routeBasePath")
    site = site_of(tmp_path, "website/docusaurus.config.js", text)
    assert (site.config, site.docs_folder) == ("website/docusaurus.config.js", "handbook")
    assert address(site, "handbook/a.md") == "https://x.example/d/guide/a"
    assert address(site, "docs/a.md") is None
    write_files(tmp_path, {"website/versions.json": '["1.0"]'})
    again = find_site(tmp_path)
    assert again is not None
    assert address(again, "handbook/a.md") is None


def test_a_folder_of_documents_that_is_the_project_itself(tmp_path):
    site = site_of(tmp_path, "mkdocs.yml", MKDOCS + "docs_dir: .\n")
    assert address(site, "a/b.md") == "https://x.example/d/a/b/"


def test_an_address_that_docusaurus_computes_is_not_guessed(tmp_path):
    text = DOCUSAURUS.replace("'https://x.example'", "process.env.URL")
    assert address(site_of(tmp_path, "docusaurus.config.js", text), "docs/a.md") is None


@pytest.mark.parametrize(
    ("path", "front", "expected"),
    [
        ("content/Ops/Deploy Guide.md", {}, "https://x.example/d/ops/deploy-guide/"),
        ("content/_index.md", {}, "https://x.example/d/"),
        ("content/ops/index.md", {}, "https://x.example/d/ops/"),
        ("content/ops/a.md", {"slug": "b"}, "https://x.example/d/ops/b/"),
        ("content/a.md", {"url": "/c/"}, None),
        ("content/a.fr.md", {}, None),
    ],
)
def test_hugo_lowers_names_and_takes_slugs(tmp_path, path, front, expected):
    assert address(site_of(tmp_path, "hugo.toml", HUGO), path, **front) == expected


def test_a_generator_with_the_anchors_of_github_gives_these(tmp_path):
    site = site_of(tmp_path, "hugo.toml", HUGO)
    text = "# Größe & Maß\n\n## `a_b` is set\n\n## Twice\n\n## Twice\n\n## Own {#mine}\n"
    assert list(site_anchors(site, split(text)).values()) == [
        "größe--maß",
        "a_b-is-set",
        "twice",
        "twice-1",
        "mine",
    ]
