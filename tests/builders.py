"""Folders and repositories in one line."""

import subprocess
from collections.abc import Mapping
from pathlib import Path


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a root, folders included; returns the root."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    root.mkdir(parents=True, exist_ok=True)
    return root


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder; returns what it printed."""
    command = ("git", "-c", "protocol.file.allow=always", *arguments)
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def make_repository(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Make a git repository whose only commit holds some files; returns its root."""
    write_files(root, files)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "Begin")
    return root


def git_hook(root: Path, name: str, *lines: str) -> Path:
    """Give a repository a hook of git's, the lines of a shell script; returns its file."""
    hook = root / ".git/hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    hook.chmod(0o755)
    return hook
