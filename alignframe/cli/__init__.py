"""The ``alignframe`` command: nothing but arguments, progress and printing."""

from __future__ import annotations

import sys
import warnings


def main() -> None:
    """Run the command; errors of the user's input end it with status 2 and one message."""
    from alignframe.cli.app import app
    from alignframe.cli.show import print_error, print_warning, spinner
    from alignframe.errors import AlignframeError

    warnings.showwarning = lambda message, *_, **__: print_warning(str(message))
    warnings.simplefilter("always")
    spinner().start()
    try:
        app()
    except AlignframeError as error:
        print_error(str(error))
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(1)
    finally:
        spinner().stop()


if __name__ == "__main__":
    main()
