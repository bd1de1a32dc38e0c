"""Every option of the commands, once: type, default, help, choices and panel.

Each module of this package holds the options of an area; shared options are in ``common``. Nothing
slow to import is imported here, because help waits for it.
"""
