"""The site of a project, from the configuration of MkDocs, Zensical, Docusaurus or Hugo."""

import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import yaml

from pit_memory.core.web.sites import Site, SlugStyle
from pit_memory.workspace.files import read_bytes

_MAX_BYTES = 1_000_000
_MOVING_PLUGINS = frozenset({"i18n", "monorepo", "multirepo", "techdocs-core"})
"""Plugins of MkDocs that give pages other addresses."""
_JS_TEXT = r"(?<![\w.])['\"]?{}['\"]?\s*:\s*(['\"`])([^'\"`$\n]*)\1"
_JS_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*$", re.DOTALL | re.MULTILINE)


class _TaggedLoader(yaml.SafeLoader):
    """Reads `!ENV`, `!!python/name:...` and their like as what they are called."""


def _tagged(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> object:
    value: object
    if isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_scalar(cast("yaml.ScalarNode", node))
    return _Tagged(node.tag, value)


@dataclass(frozen=True, slots=True)
class _Tagged:
    """A value with a tag that YAML itself doesn't know."""

    tag: str
    value: object


_TaggedLoader.add_multi_constructor("!", _tagged)
_TaggedLoader.add_multi_constructor("tag:yaml.org,2002:python/", _tagged)


def find_site(root: Path) -> Site | None:
    """The site of a project: its configuration lies at the root or in a folder of it.

    Paths of the site are relative to the root. What can't be read is no site: links then lead to
    the forge or the file.
    """
    for folder in ("", *_folders(root)):
        for names, read in _READERS:
            for name in names:
                text = _text(root / folder / name)
                if text is not None and (site := _read(read, name, text)):
                    return _placed(site, root, folder)
    return None


def _read(read: "_Reader", name: str, text: str) -> Site | None:
    try:
        return read(name, text)
    except _UNREADABLE:
        return None


def _placed(site: Site, root: Path, folder: str) -> Site:
    """A site as seen from the root of the project."""
    url = site.url
    if site.generator == "docusaurus" and (root / folder / "versions.json").exists():
        url = ""  # what is in the folder is published for a later version
    config = posixpath.join(folder, site.config)
    return replace(
        site, url=url, config=config, docs_folder=_folder(f"{folder}/{site.docs_folder}")
    )


def _folders(root: Path) -> list[str]:
    try:
        entries = sorted(root.iterdir())
    except OSError:
        return []
    return [entry.name for entry in entries if entry.name[0] not in "._" and entry.is_dir()]


def load_tagged_yaml(text: str) -> object:
    """YAML with any tags; a value with an unknown one is an object of its own.

    Raises:
        ValueError: it is no YAML.
    """
    try:
        return yaml.load(text, Loader=_TaggedLoader)  # noqa: S506 - a SafeLoader, it constructs nothing
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(" ".join(str(error).split())) from error


_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)


def _mkdocs(name: str, text: str) -> Site | None:
    loaded = load_tagged_yaml(text)
    if not isinstance(loaded, dict):
        return None
    return _python_markdown_site("mkdocs", name, loaded)


def _zensical(name: str, text: str) -> Site | None:
    project = tomllib.loads(text).get("project", {})
    return _python_markdown_site("zensical", name, project)


def _python_markdown_site(generator: Any, name: str, loaded: Mapping[str, Any]) -> Site:  # noqa: ANN401 - a literal
    extensions = _named(loaded.get("markdown_extensions"))
    plugins = _named(loaded.get("plugins"))
    toc = extensions.get("toc") or extensions.get("markdown.extensions.toc") or {}
    docs_folder = _folder(loaded.get("docs_dir", "docs"))
    has_own_defaults = generator == "zensical" and not extensions
    url = loaded.get("site_url")
    url = url if isinstance(url, str) else ""
    if "mike" in plugins:
        version = (plugins["mike"] or {}).get("canonical_version")
        url = f"{url.rstrip('/')}/{version}" if url and version else ""
    if loaded.get("INHERIT") or _MOVING_PLUGINS & plugins.keys():
        url = ""
    return Site(
        generator=generator,
        config=name,
        docs_folder=docs_folder,
        url=_with_slash(url),
        directory_urls=loaded.get("use_directory_urls", True) is True,
        slugs=_slug_style(toc.get("slugify")),
        separator=str(toc.get("separator", "-")),
        attribute_lists=has_own_defaults
        or any(each in extensions for each in _WITH_ATTRIBUTE_LISTS),
        excluded=tuple(_exclusions(loaded)),
        unclear=tuple(_blog_folders(plugins)),
    )


_WITH_ATTRIBUTE_LISTS = (
    "attr_list",
    "markdown.extensions.attr_list",
    "extra",
    "markdown.extensions.extra",
)


def _named(listed: object) -> dict[str, Any]:
    """Extensions or plugins with their options: a list of names and mappings, or one mapping."""
    found: dict[str, Any] = {}
    if isinstance(listed, Mapping):
        listed = [{name: options} for name, options in listed.items()]
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, Mapping):
            found.update({_bare(name): options for name, options in item.items()})
        else:
            found[_bare(item)] = {}
    return found


def _bare(name: object) -> str:
    return str(name).removeprefix("material/")


def _slug_style(slugify: object) -> SlugStyle:
    if slugify is None:
        return "ascii"
    tag = slugify.tag if isinstance(slugify, _Tagged) else ""
    kind = tag.partition(":")[2].rpartition(":")[2]
    options: object = (
        slugify.value.get("kwds", {})
        if isinstance(slugify, _Tagged) and isinstance(slugify.value, dict)
        else {}
    )
    if isinstance(slugify, Mapping):  # Zensical's way to say the same
        kind, options = str(slugify.get("object", "")), slugify.get("kwds", {})
    if kind == "markdown.extensions.toc.slugify":
        return "ascii"
    if kind == "markdown.extensions.toc.slugify_unicode":
        return "unicode"
    if kind == "pymdownx.slugs.slugify" and isinstance(options, dict):
        if options.get("percent_encode"):
            return "unknown"
        return str(options.get("case", "none")), str(options.get("normalize", "NFC"))
    return "unknown"


def _exclusions(loaded: Mapping[str, Any]) -> Iterator[str]:
    """What isn't published; drafts are only shown to their writer."""
    for key in ("exclude_docs", "draft_docs"):
        lines = loaded.get(key) or ""
        yield from lines.split("\n") if isinstance(lines, str) else ()


def _blog_folders(plugins: Mapping[str, Any]) -> Iterator[str]:
    if "blog" in plugins:
        blog = str((plugins["blog"] or {}).get("blog_dir", "blog")).strip("./")
        yield f"{blog}/" if blog else ""


def _docusaurus(name: str, text: str) -> Site | None:
    code = _JS_COMMENT.sub("", text)
    url, base = _js_text(code, "url"), _js_text(code, "baseUrl")
    if (
        url is None
        or base is None
        or ("i18n" in code and re.search(r"locales\s*:\s*\[[^\]]*,", code))
    ):
        url = ""
    route = _js_text(code, "routeBasePath")
    prefix = "docs" if route is None else route.strip("/")
    folder = _js_text(code, "path")
    if code.count("routeBasePath") > 1 or "plugin-content-docs" in code:
        url = ""
    address = f"{url.rstrip('/')}/{(base or '').strip('/')}".rstrip("/") if url else ""
    return Site(
        generator="docusaurus",
        config=name,
        docs_folder=_folder(folder or "docs"),
        url=_with_slash(f"{address}/{prefix}".rstrip("/") if address else ""),
        directory_urls=bool(re.search(r"trailingSlash\s*:\s*true", code)),
        slugs="github",
        attribute_lists=True,
    )


def _js_text(code: str, key: str) -> str | None:
    """The value of a key where the code has exactly one, and it is a plain string."""
    found = re.findall(_JS_TEXT.format(key), code)
    named = len(re.findall(rf"(?<![\w.])['\"]?{key}['\"]?\s*:", code))
    return found[0][1] if len(found) == named == 1 else None


def _hugo(name: str, text: str) -> Site | None:
    loaded: Any
    if name.endswith(".toml"):
        loaded = tomllib.loads(text)
    elif name.endswith(".json"):
        loaded = json.loads(text)
    else:
        loaded = load_tagged_yaml(text)
    keys = {str(key).lower(): value for key, value in loaded.items()}
    url = keys.get("baseurl")
    moved = any(
        keys.get(key) for key in ("permalinks", "languages", "defaultcontentlanguageinsubdir")
    )
    moved = moved or bool(keys.get("disablepathtolower"))
    goldmark = (keys.get("markup") or {}).get("goldmark") or {}
    ids = (goldmark.get("parser") or {}).get("autoHeadingIDType", "github")
    return Site(
        generator="hugo",
        config=name,
        docs_folder=_folder(keys.get("contentdir", "content")),
        url=_with_slash(url if isinstance(url, str) and not moved else ""),
        directory_urls=not keys.get("uglyurls"),
        slugs="github" if ids == "github" else "unknown",
        attribute_lists=True,
    )


def _folder(value: object) -> str:
    folder = posixpath.normpath(value.lstrip("/")) if isinstance(value, str) else "."
    return "" if folder == "." else folder


def _with_slash(url: str) -> str:
    if not url.startswith(("https://", "http://")):
        return ""
    return url if url.endswith("/") else f"{url}/"


def _text(path: Path) -> str | None:
    try:
        return read_bytes(path, _MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


_Reader = Callable[[str, str], Site | None]
_READERS: tuple[tuple[tuple[str, ...], _Reader], ...] = (
    (("zensical.toml",), _zensical),
    (("mkdocs.yml", "mkdocs.yaml"), _mkdocs),
    (("docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs"), _docusaurus),
    (("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default/hugo.toml"), _hugo),
)
"""Configurations by generator, in the order they are looked for."""
