/* Captures the log lines of a test's requests, as JSON. */
import { LoggerFactory } from '@adonisjs/core/factories/logger'
import logger from '@adonisjs/core/services/logger'

interface LogLine {
  level: number
  msg: string
  request_id: string
  username?: string
  address?: string
  err?: { type: string; message: string; stack: string }
}

export const ERROR_LEVEL = 50
export const WARN_LEVEL = 40
export const INFO_LEVEL = 30

/**
 * Captures the log of all requests from now on.
 *
 * @param cleanup  cleanup of the test, which restores the logger
 * @returns a function that returns the lines so far
 */
export function captureLog(cleanup: (callback: () => void) => void): () => LogLine[] {
  const lines: string[] = []
  const capturing = new LoggerFactory()
    .merge({ enabled: true, level: 'trace' })
    .pushLogsTo(lines)
    .create()

  logger.child = ((bindings: object) => capturing.child(bindings)) as typeof logger.child
  cleanup(() => {
    delete (logger as Partial<typeof logger>).child
  })
  return () => lines.map((line) => JSON.parse(line))
}

/** Captures the warnings of code that belongs to no request. */
export function captureWarnings(cleanup: (callback: () => void) => void): string[] {
  const lines: string[] = []
  logger.warn = ((...given: unknown[]) =>
    void lines.push(String(given.at(-1)))) as typeof logger.warn
  cleanup(() => {
    delete (logger as Partial<typeof logger>).warn
  })
  return lines
}
