import { chmodSync, statSync } from 'node:fs'

/* Beside the file of a database, as SQLite names them */
const PARTS = ['', '-wal', '-shm', '-journal']

/**
 * Takes all rights from other users of the machine on the files of an SQLite database, as far as they are
 * ours. What SQLite makes beside the database's file later has the rights of that.
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
