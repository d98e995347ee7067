import { chmodSync, statSync } from 'node:fs'

/* Suffixes of the files that SQLite creates next to a database */
const PARTS = ['', '-wal', '-shm', '-journal']

/**
 * Removes the rights of other users of the machine on the files of an SQLite database, as far as this
 * process owns them. Files that SQLite creates later inherit the rights of the database's file.
 */
export function makePrivate(filename: string): void {
  for (const part of PARTS) {
    const path = filename + part
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() && stats.uid === process.getuid?.() && (stats.mode & 0o077) !== 0) {
      chmodSync(path, 0o600)
    }
  }
}
