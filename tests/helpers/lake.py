"""Small lakes of links for tests, in every kind of place."""

import contextlib
import logging
import os
import shutil
import socket
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

LINKS = pa.list_(pa.field("element", pa.struct([("i", pa.int32()), ("j", pa.int32())])))
GOLD = pa.list_(
    pa.field("element", pa.struct([("i", pa.int32()), ("j", pa.int32()), ("sure", pa.bool_())]))
)
ROOT = Path(__file__).resolve().parents[2]
BUNDLED = ROOT / "datasets" / "en-fr"
ISLAND = ROOT / "datasets" / "island"
SYSTEMS = ("giza", "hmm")
DOMAINS = ("law", "news", "talks")


def sentences(seed, rows=12, *, gold=False, first=0):
    """Return a table of links with signed positions, as Delta and Spark write it."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(rows):
        pairs = sorted({(int(i), int(j)) for i, j in draw.integers(0, 6, (5, 2))})
        found.append([{"i": i, "j": j} | ({"sure": bool(i % 2)} if gold else {}) for i, j in pairs])
    return pa.table(
        {
            "sid": pa.array(range(first, first + rows), pa.int64()),
            "links": pa.array(found, GOLD if gold else LINKS),
        }
    )


def tables(systems=SYSTEMS, domains=DOMAINS, rows=12):
    """Return links and gold by domain, with sids that continue across domains."""
    gold = {d: sentences(100 + k, rows, gold=True, first=1000 * k) for k, d in enumerate(DOMAINS)}
    hyp = {
        (s, d): sentences(10 * k + DOMAINS.index(d), rows, first=1000 * DOMAINS.index(d))
        for k, s in enumerate(systems)
        for d in domains
    }
    return hyp, {domain: gold[domain] for domain in domains}


def write(table, folder, **keys):
    """Write a table as a partition of a folder, and return the file."""
    place = Path(folder, *(f"{name}={value}" for name, value in keys.items()))
    place.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, place / "part-0.parquet")
    return place / "part-0.parquet"


def plain_lake(folder, **options):
    """Write hive-partitioned lakes of links and of gold, and return their folders."""
    hyp, gold = tables(**options)
    for (system, domain), table in hyp.items():
        write(table, Path(folder, "hyp"), system=system, domain=domain)
    for domain, table in gold.items():
        write(table, Path(folder, "gold"), domain=domain)
    return Path(folder, "hyp"), Path(folder, "gold")


def long_frame(tables, names):
    """Return tables by key as one table, with a column for each key."""
    parts = []
    for keys, table in tables.items():
        values = (keys,) if isinstance(keys, str) else keys
        for name, value in zip(names, values, strict=True):
            table = table.append_column(name, pa.array([value] * table.num_rows))
        parts.append(table)
    return pa.concat_tables(parts)


def all_links(hyp=None, gold=None, **options):
    """Return the links and gold of ``tables`` in memory, with unique sids."""
    if hyp is None:
        hyp, gold = tables(**options)
    return long_frame(hyp, ["system", "domain"]), long_frame(gold, ["domain"])


def delta_table(folder, table, keys):
    """Write a Delta table, and return its folder."""
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(str(folder), table, partition_by=list(keys))
    return folder


def iceberg_table(folder, name, table, keys, at=None):
    """Write an Iceberg table with an SQLite catalogue, perhaps elsewhere; return its place."""
    pytest.importorskip("pyiceberg")
    from alignframe.stores.catalogue import catalogue_of

    Path(folder).mkdir(parents=True, exist_ok=True)
    place = f"iceberg:{folder}/catalog.db.mt.{name}"
    catalogue = catalogue_of(place, new=True)
    catalogue.create_namespace_if_not_exists("mt")
    made = catalogue.create_table(f"mt.{name}", schema=table.schema, location=at)
    with made.update_spec() as spec:
        for key in keys:
            spec.add_identity(key)
    made.append(table)
    return place


@contextlib.contextmanager
def object_store():
    """Serve S3 on the loopback address, with its address and credentials in the environment."""
    pytest.importorskip("moto")
    pytest.importorskip("flask")
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()


def sent(folder, place):
    """Copy a folder to an object store."""
    from pyarrow.fs import LocalFileSystem, copy_files

    from alignframe.stores.remote import filesystem, path_in_store

    store = filesystem()
    copy_files(
        os.fspath(folder),
        path_in_store(place),
        source_filesystem=LocalFileSystem(),
        destination_filesystem=store,
    )
    return place


def emptied(folder):
    """Return a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    return Path(folder)


def sorted_rows(frame, *by):
    """Return the rows of a frame, sorted by some columns."""
    return pl.DataFrame(frame).sort(by).rows()
