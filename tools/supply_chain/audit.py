"""Known vulnerabilities of what is pinned, for the base install and development (``make audit``).

Asks the databases of PyPI and OSV by pip-audit. Status 0: all audited, none known; 1: some known;
2: no database could be reached, or one lacks distributions: they were not audited.
"""

import json
import subprocess
import sys
from typing import Any

FILE = "requirements.lock"
SERVICES = ("pypi", "osv")


def main(tool: str) -> int:
    reasons = []
    for service in SERVICES:
        command = [tool, "--vulnerability-service", service, "--disable-pip", "--require-hashes"]
        command += ["--requirement", FILE, "--format", "json", "--progress-spinner", "off"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        told = done.stderr.strip().splitlines()
        try:
            found = json.loads(done.stdout)["dependencies"]
        except (ValueError, KeyError):
            reasons.append(f"{service}: {told[-1] if told else 'no answer'}")
            continue
        # pip-audit ends with status 0 where it has skipped everything.
        if any("vulns" in one for one in found):
            text, status = verdict(service, found)
            print(text)
            return status
        reasons.append(f"{service}: {found[0]['skip_reason'] if found else 'nothing to audit'}")
    print("not audited: no database of vulnerabilities can be reached\n" + "\n".join(reasons))
    return 2


def verdict(service: str, found: list[dict[str, Any]]) -> tuple[str, int]:
    """What to say of the answers of a database, and the status."""
    skipped = [one for one in found if "vulns" not in one]
    lines = [
        f"{one['name']} {one['version']}: {known['id']}"
        f"{', mended in ' + ', '.join(known['fix_versions']) if known['fix_versions'] else ''}"
        for one in found
        for known in one.get("vulns", ())
    ]
    status = 1 if lines else 2 if skipped else 0
    lines += [f"{one['name']}: not audited: {one['skip_reason']}" for one in skipped]
    lines.append(f"{service}: {len(found) - len(skipped)} of {len(found)} distributions audited")
    return "\n".join(lines), status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
