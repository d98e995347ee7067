import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { groupedNumber } from '#base/values/grouped_number'
import { CommandFailure } from './admin_command.js'

/** Destination of an export: standard output, or a file, which appears under its final name once it is complete. */
export interface ExportTarget {
  stream: Writable
  isFile: boolean
  bytes(): number
  /** Rejects when the reader of the pipe closes it */
  closed: Promise<never>
  /** Resolves when everything is written */
  complete(): Promise<void>
  /** Removes an incomplete file */
  end(): Promise<void>
  /** Returns the error to report */
  explain(error: unknown, count: number): unknown
}

/**
 * @param path  path of the file; undefined for standard output
 * @throws CommandFailure  for a path that is not a file
 */
export async function exportTo(path: string | undefined): Promise<ExportTarget> {
  return path === undefined ? standardOutput() : await file(resolve(path))
}

function standardOutput(): ExportTarget {
  const stream = new PassThrough()
  let bytes = 0
  stream.on('data', (chunk: Buffer) => void (bytes += chunk.length))
  stream.pipe(process.stdout, { end: false })
  const { promise: closed, reject } = Promise.withResolvers<never>()
  closed.catch(() => {})
  const fail = (error: unknown) => reject(error)
  process.stdout.on('error', fail)
  return {
    stream,
    isFile: false,
    bytes: () => bytes,
    closed,
    complete: async () => {
      await Promise.race([finished(stream), closed])
      /* Waits for the pipe; output that it has not accepted would be lost when the process exits. */
      await Promise.race([
        new Promise<void>((taken) => process.stdout.write('', () => taken())),
        closed,
      ])
    },
    end: async () => void stream.destroy(),
    explain: (error, count) =>
      (error as { code?: string }).code === 'EPIPE'
        ? new CommandFailure(
            `The output was closed: it took no more than ${groupedNumber(count)} records`
          )
        : error,
  }
}

async function file(path: string): Promise<ExportTarget> {
  const found = await stat(path).catch(() => null)
  if (found && !found.isFile()) throw new CommandFailure(`${path} exists and is not a file`)
  const part = `${path}.part`
  /* Only the current user can read the file, which can contain confidential data. */
  const stream = createWriteStream(part, { mode: 0o600 })
  const { promise: closed, reject } = Promise.withResolvers<never>()
  closed.catch(() => {})
  stream.on('error', reject)
  return {
    stream,
    isFile: true,
    bytes: () => stream.bytesWritten,
    closed,
    complete: async () => {
      await finished(stream)
      await rename(part, path)
    },
    end: async () => {
      stream.destroy()
      await rm(part, { force: true })
    },
    explain: (error) => {
      const { code, syscall } = error as { code?: string; syscall?: string }
      const isOfFile = syscall !== undefined && code !== undefined
      return isOfFile ? new CommandFailure(`The file ${path} can't be written (${code})`) : error
    },
  }
}
