import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

/**
 * A command that can't go on; its message is all that is to be said.
 */
export class CommandFailure extends Error {}

/**
 * What the commands have in common: whatever fails ends with one line on standard error and an exit
 * status of 1, nobody is asked where nobody can answer, and what `--json` prints is JSON alone. [P12]
 *
 * Commands are imported before the application boots, so they must not import models or services.
 */
export abstract class Command extends BaseCommand {
  static options: CommandOptions = { startApp: true }

  /**
   * A word too many is a mistake, never to be ignored; nor printed, as it may be a password.
   */
  async prepare() {
    if (this.parsed._.length > 0) {
      throw new CommandFailure(
        `${this.commandName} was given more arguments than it takes; see node ace ${this.commandName} --help`
      )
    }
  }

  /**
   * @returns whether an error has been dealt with
   */
  async completed(): Promise<boolean> {
    if (this.error === undefined) return false
    this.logger.error(printable(this.explain(this.error)))
    return true
  }

  /** Whether somebody sits at both ends: prompts are read from one and written to the other. */
  protected get canAsk(): boolean {
    return Boolean(process.stdin.isTTY && process.stdout.isTTY)
  }

  /**
   * What there is to say about an error. A driver's message repeats the whole statement with its
   * values, hashes of passwords among them, so only its code is shown. [B11]
   */
  protected explain(error: unknown): string {
    const { code, message } = error as { code?: unknown; message?: string }
    if (code === 'E_PROMPT_CANCELLED') return 'Cancelled'
    if (typeof code !== 'string' || code.startsWith('E_')) return message ?? String(error)
    return `The database can't be used (${code})`
  }

  protected printJson(value: unknown): void {
    this.logger.log(printable(JSON.stringify(value), jsonEscape))
  }

  protected printTable(head: string[], rows: string[][]): void {
    const table = this.ui.table().head(head)
    for (const row of rows) table.row(row.map((cell) => printable(cell)))
    table.render()
  }
}

/**
 * What is wrong, for a prompt's `validate`; true if nothing is.
 */
export async function fault(check: () => unknown): Promise<true | string> {
  try {
    await check()
    return true
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Text for a terminal: in one line, and without signs that steer it, whoever sent them.
 */
function printable(text: string, escape: (sign: string) => string = () => '\u{fffd}'): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\s*\n\s*/g, ' ').replace(/[\u0000-\u001f\u007f-\u009f]/g, escape)
}

function jsonEscape(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}
