"""The response journal, the study folder's tables, and pictures by digest. Import from the modules named here.

- `covary.store.journal`: `Journal`, `merge`
- `covary.store.tables`: tables as Parquet files, written whole or not at all
- `covary.store.pictures`: `PictureFolder`
"""
