"""Runs migrations within the transaction of the connection that the configuration carries."""

from alembic import context

from seemly.adapters.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
