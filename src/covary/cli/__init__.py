"""The command line: one line for every mistake, an exit status that scripts can trust."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130


def main() -> None:
    """Run `covary`. Exit status 0: done; 1: a failure or unresolved requests; 2: wrong usage; 130: interrupted."""
    from covary.cli.app import app
    from covary.errors import CovaryError

    try:
        if app(standalone_mode=False) == INTERRUPTED:  # the library's status for Ctrl-C, of which it says nothing
            raise KeyboardInterrupt
    except CovaryError as error:
        _say(str(error))
        raise SystemExit(error.exit_status) from None
    except KeyboardInterrupt:
        _say("interrupted; what was acknowledged is safe, the same command goes on from there")
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except Exception as error:
        raise SystemExit(_foreign(error)) from None


def _foreign(error: Exception) -> int:
    """Exit status of an error that isn't ours: usage errors of the command line, full disks, and bugs."""
    if type(error).__module__.startswith(("click.", "typer.")):
        if type(error).__name__ == "Exit":
            return int(getattr(error, "exit_code", 0))
        if type(error).__name__ == "Abort":
            _say("interrupted")
            return INTERRUPTED
        message = getattr(error, "format_message", lambda: str(error))()
        if message:  # none: the help was shown instead
            _say(message + _usage_hint(error))
        return 2
    if os.environ.get("COVARY_DEBUG"):
        raise error
    if isinstance(error, OSError) and error.strerror:
        where = f" ({error.filename})" if error.filename else ""
        _say(f"{error.strerror}{where}; nothing that was acknowledged is lost")
        return 1
    _say(f"a fault in covary: {type(error).__name__}: {error}".splitlines()[0] + "; COVARY_DEBUG=1 shows where")
    return 1


def _usage_hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f" (see {context.command_path} --help)" if context is not None else ""


def _say(line: str) -> None:
    from covary.report.controls import visible

    print(f"covary: {visible(line)}", file=sys.stderr)
