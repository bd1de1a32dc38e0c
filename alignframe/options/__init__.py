"""Every option of the commands, once: type, default, help, choices and panel.

The modules of this package hold the options of an area; those of several areas are in ``common``.
Nothing is imported here that help would have to wait for.
"""
