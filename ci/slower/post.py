#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts a file below a pull request of GitHub or a merge request of GitLab as one comment. A later call replaces it.

usage: post.py FILE

GitHub: needs GITHUB_TOKEN, GITHUB_REPOSITORY and PULL_REQUEST, its number. GitLab: needs GITLAB_TOKEN, a token of the project
that may write notes, and CI_API_V4_URL, CI_PROJECT_ID and CI_MERGE_REQUEST_IID, which its jobs have. A token that may not write,
as that of a fork's pull request, is no failure: the file is printed.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
import urllib.error
import urllib.request
from typing import Any

MARK = "<!-- reprise: slower or not -->"
MOST_CHARACTERS = 60000  # GitHub takes 65536


class Comments:
    """The comments of a request, behind the address of its list."""

    def __init__(self, url: str, headers: dict[str, str], update: str, one: str) -> None:
        self.url, self.headers, self.update, self.one = url, headers, update, one

    def call(self, method: str, url: str, body: str | None = None) -> Any:
        data = None if body is None else json.dumps({"body": body}).encode()
        request = urllib.request.Request(url, data, {**self.headers, "Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def earlier(self) -> int | None:
        page = 1
        while found := self.call("GET", f"{self.url}?per_page=100&page={page}"):
            for comment in found:
                if MARK in (comment["body"] or ""):
                    return comment["id"]
            page += 1
        return None

    def put(self, body: str) -> None:
        known = self.earlier()
        if known is None:
            self.call("POST", self.url, body)
        else:
            self.call(self.update, f"{self.one}/{known}", body)


def comments() -> Comments:
    get = os.environ.get
    if get("GITHUB_REPOSITORY"):
        missing = [name for name in ("GITHUB_TOKEN", "PULL_REQUEST") if not get(name)]
        issues = f"{get('GITHUB_API_URL', 'https://api.github.com')}/repos/{get('GITHUB_REPOSITORY')}/issues"
        found = Comments(f"{issues}/{get('PULL_REQUEST')}/comments", {"Authorization": f"Bearer {get('GITHUB_TOKEN')}"},
                         "PATCH", f"{issues}/comments")
    elif get("CI_PROJECT_ID"):
        missing = [name for name in ("GITLAB_TOKEN", "CI_API_V4_URL", "CI_MERGE_REQUEST_IID") if not get(name)]
        notes = f"{get('CI_API_V4_URL')}/projects/{get('CI_PROJECT_ID')}/merge_requests/{get('CI_MERGE_REQUEST_IID')}/notes"
        found = Comments(notes, {"PRIVATE-TOKEN": get("GITLAB_TOKEN", "")}, "PUT", notes)
    else:
        sys.exit("post.py: this is no job of GitHub or GitLab: there is neither GITHUB_REPOSITORY nor CI_PROJECT_ID")
    if missing:
        sys.exit(f"post.py: {' and '.join(missing)} must be set")
    return found


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        body = pathlib.Path(sys.argv[1]).read_text()
    except OSError as problem:
        sys.exit(f"post.py: {problem}")
    forge = comments()
    if MARK not in body:
        sys.exit(f"post.py: {sys.argv[1]} is no comment of comment.py")
    if len(body) > MOST_CHARACTERS:
        body = body[:MOST_CHARACTERS] + "\n\nThe rest is in the artifact.\n"
    try:
        forge.put(body)
    except urllib.error.HTTPError as problem:
        if problem.code not in (401, 403, 404):
            sys.exit(f"post.py: the comment was refused: {problem}")
        print(f"post.py: the token may not write here ({problem}); this is the comment:\n\n{body}")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        sys.exit(f"post.py: the comment could not be put: {problem}")


if __name__ == "__main__":
    main()
