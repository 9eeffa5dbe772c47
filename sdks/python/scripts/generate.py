"""Generate the types and methods of all operations from the OpenAPI document.

`python scripts/generate.py` writes the files. With `--check`, it writes nothing and fails if one of them is not current. It
needs only the standard library.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from document import read
from resources import HEAD, resources, rows
from samples import samples
from types_of_schemas import models, quoted

PACKAGE = Path(__file__).resolve().parent.parent
DOCUMENT = PACKAGE.parent.parent / "docs" / "openapi.json"
FOLDS = PACKAGE.parent / "typescript" / "src" / "generated" / "case_folding.ts"
GENERATED = "src/steward_sdk/_generated"

MODELS = """from __future__ import annotations

from typing import Any, Dict, Generic, List, Literal, Union

from typing_extensions import NotRequired, TypedDict

from .._tables import Changes, Fields
"""


def generate(document: dict[str, Any]) -> dict[str, str]:
    """Return the generated files: paths and contents."""
    entries = read(document)
    codes = document["components"]["schemas"]["ErrorBody"]["properties"]["error"]["enum"]
    listed = "".join(f"    {quoted(code)},\n" for code in codes)
    package = {
        "__init__.py": HEAD,
        "async_resources.py": resources(entries, is_async=True),
        "case_folding.py": f'{HEAD}"""What Unicode\'s simple case folding replaces."""\n\nFOLDS = (\n{folds()})\n',
        "codes.py": f'{HEAD}"""Codes of the errors of the service."""\n\nfrom typing import Literal\n\nErrorCode = Literal[\n{listed}]\n',
        "models.py": f'{HEAD}"""The schemas of the OpenAPI document."""\n\n{MODELS}\n\n{models(document["components"]["schemas"])}',
        "operations.py": rows(entries),
        "sync_resources.py": resources(entries, is_async=False),
    }
    return {f"{GENERATED}/{name}": text for name, text in package.items()} | {"samples/operations.py": samples(entries)}


def folds() -> str:
    """Return the runs of characters that another generator has written, in lines."""
    [text] = re.findall(r'"([^"]*)"', FOLDS.read_text("utf-8"))
    return "".join(f"    {quoted(line)}\n" for line in textwrap.wrap(text, 100, drop_whitespace=False))


def main() -> int:
    files = generate(json.loads(DOCUMENT.read_text("utf-8")))
    folders = {(PACKAGE / path).parent for path in files}
    paths = [path for folder in folders for path in folder.glob("*.py")]
    found = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in paths}
    if "--check" in sys.argv[1:]:
        old = sorted(name for name in files.keys() | found.keys() if files.get(name) != found.get(name))
        if old:
            print(f"Not current: {', '.join(old)}. Run scripts/generate.py.", file=sys.stderr)
        return 1 if old else 0
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for name in found.keys() - files.keys():
        (PACKAGE / name).unlink()
    for name, text in files.items():
        (PACKAGE / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
