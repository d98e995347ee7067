import { stripVTControlCharacters } from 'node:util'
import { BaseCommand, errors } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'
import { CommandFailure } from '#base/errors'

type RendererContract = ReturnType<ReturnType<BaseCommand['ui']['table']>['getRenderer']>

export { CommandFailure }

/**
 * Base class of the commands. A failure prints one line on standard error and exits with status 1, prompts appear only
 * on a terminal, and `--json` prints only JSON.
 *
 * Commands are imported before the application boots, so they must not import models or services.
 */
export abstract class Command extends BaseCommand {
  static options: CommandOptions = { startApp: true }

  /** Rejects extra arguments. The message does not repeat them, because one could be a password. */
  async prepare() {
    if (this.parsed._.length > 0) {
      throw new CommandFailure(
        `${this.commandName} was given more arguments than it takes; see node ace ${this.commandName} --help`
      )
    }
  }

  /**
   * Prints the error of the command.
   *
   * @returns true if there was an error
   */
  async completed(): Promise<boolean> {
    if (this.error === undefined) return false
    this.logger.error(printable(this.explain(this.error)))
    return true
  }

  /** True if both input and output are a terminal: prompts read from the input and write to the output. */
  protected get canAsk(): boolean {
    return Boolean(process.stdin.isTTY && process.stdout.isTTY)
  }

  /**
   * Returns the message to print for an error. Of a driver's error only the code is shown: its message contains the
   * statement with all values, such as password hashes.
   */
  protected explain(error: unknown): string {
    const { code, message } = error as { code?: unknown; message?: string }
    if (code === 'E_PROMPT_CANCELLED') return 'Cancelled'
    if (typeof code !== 'string' || code.startsWith('E_')) return message ?? String(error)
    if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
      return `The driver of the database can't be loaded (${code}). Install it again with this version of Node.js (${process.version}): npm rebuild`
    }
    return `The database can't be used (${code})`
  }

  protected printJson(value: unknown): void {
    this.logger.log(printable(JSON.stringify(value), jsonEscape))
  }

  /** Prints a line, without control characters. */
  protected print(line: string): void {
    this.logger.log(printable(line))
  }

  /** Prints a table, without colours if the output is not a terminal. */
  protected printTable(head: string[], rows: string[][]): void {
    const table = this.ui.table().head(head)
    if (!process.stdout.isTTY) {
      const renderer = table.getRenderer()
      const log = (text: string) => renderer.log(stripVTControlCharacters(text))
      table.useRenderer(Object.assign(Object.create(renderer), { log }))
    }
    for (const row of rows) table.row(row.map((cell) => printable(cell)))
    if (!process.stdout.isTTY) table.useRenderer(withoutColours(table.getRenderer()))
    table.render()
  }
}

/** Returns the result for a prompt's `validate`: the error's message, or true if the check passes. */
export async function errorMessage(check: () => unknown): Promise<true | string> {
  try {
    await check()
    return true
  } catch (error) {
    return (error as Error).message
  }
}

/** Removes colours, which tables contain even if the output is a pipe or a file. */
function withoutColours(renderer: RendererContract): RendererContract {
  return {
    getLogs: () => renderer.getLogs(),
    flushLogs: () => renderer.flushLogs(),
    log: (message) => renderer.log(stripVTControlCharacters(message)),
    logError: (message) => renderer.logError(stripVTControlCharacters(message)),
    logUpdate: (message) => renderer.logUpdate(stripVTControlCharacters(message)),
    logUpdatePersist: () => renderer.logUpdatePersist(),
  }
}

/** Returns text for a terminal, in one line and without control characters. */
function printable(text: string, escape: (sign: string) => string = () => '\u{fffd}'): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\s*\n\s*/g, ' ').replace(/[\u0000-\u001f\u007f-\u009f]/g, escape)
}

function jsonEscape(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Waits for the input of a prompt. Since Node.js 24.2, a prompt that is left with Ctrl-C or Ctrl-D closes its input and
 * then throws an error that cannot be caught, or never ends (https://github.com/enquirer/enquirer/issues/483). This
 * function cancels the prompt in both cases.
 *
 * @throws E_PROMPT_CANCELLED
 */
export async function ask<Result>(prompt: () => Promise<Result>): Promise<Result> {
  const input = process.stdin
  let leave = () => {}
  const left = new Promise<never>((_, reject) => {
    /* Waits for one turn: a completed prompt also closes its input, and resolves right after that. */
    leave = () => setImmediate(() => reject(new errors.E_PROMPT_CANCELLED()))
  })
  input.once('pause', leave)
  process.on('unhandledRejection', ignoreClosedInput)
  try {
    const response = await Promise.race([prompt(), left])
    process.off('unhandledRejection', ignoreClosedInput)
    return response
  } catch (error) {
    if (input.isTTY) {
      input.setRawMode(false)
      process.stdout.write('\u001b[?25h\n')
    }
    throw error
  } finally {
    input.off('pause', leave)
  }
}

function ignoreClosedInput(error: unknown) {
  if ((error as { code?: string } | undefined)?.code !== 'ERR_USE_AFTER_CLOSE') throw error
}
