"""A connection for tests of SQL."""

from contextlib import contextmanager

from alignframe.session import Session, sql_scripts

_IDLE = []


@contextmanager
def connected():
    """Lend a connection with every macro, and forget afterwards what was made in it.

    To open one takes longer than most tests.
    """
    session = _IDLE.pop() if _IDLE else Session()
    session.learn(sql_scripts())
    yield session.connection
    session.forget()
    _IDLE.append(session)
