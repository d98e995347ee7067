import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'
import type { DateTime } from 'luxon'
import type { AdminSite } from '../admin_site.js'
import type { AdminUserService } from '../authentication/admin_user_service.js'
import { ask } from './ask.js'

/** More than any password has, so that an endless stream does not fill the memory */
const LONGEST_INPUT = 64 * 1024

/**
 * A command that can't go on; its message is all that is to be said.
 */
export class CommandFailure extends Error {}

/**
 * What the admin's commands have in common: whatever fails ends with one line on standard error and
 * an exit status of 1, nobody is asked where nobody can answer, and nothing secret is printed. [P12]
 *
 * Commands are imported before the application boots, so they must not import models or services.
 */
export abstract class AdminCommand extends BaseCommand {
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
    this.logger.error(printable(explain(this.error)))
    return true
  }

  protected async site(): Promise<AdminSite> {
    return await this.app.container.make('admin.site')
  }

  /** Whether somebody sits at both ends: prompts are read from one and written to the other. */
  protected get canAsk(): boolean {
    return Boolean(process.stdin.isTTY && process.stdout.isTTY)
  }

  /**
   * @throws CommandFailure  where nobody can be asked for what the flags did not tell
   */
  protected requireFlags(...missing: Array<string | false>): void {
    const flags = missing.filter((flag) => flag !== false)
    if (flags.length > 0 && !this.canAsk) {
      throw new CommandFailure(
        `Nobody can be asked here, as this is no terminal: use ${flags.join(' and ')}`
      )
    }
  }

  /**
   * Reads a new password: asks for it twice, or takes what standard input holds.
   */
  protected async readPassword(users: AdminUserService, fromInput: boolean): Promise<string> {
    if (fromInput) return await readInput()

    const password = await ask(() =>
      this.prompt.secure('Password', {
        validate: (value) => fault(() => users.checkPassword(value)),
      })
    )
    const again = await ask(() => this.prompt.secure('Password again'))
    if (password !== again) throw new CommandFailure('The two passwords differ')
    return password
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
export async function fault(check: () => void | Promise<void>): Promise<true | string> {
  try {
    await check()
    return true
  } catch (error) {
    return (error as Error).message
  }
}

/** `2026-11-21T08:00:00Z` */
export function isoTime(moment: DateTime): string {
  return moment.toUTC().toISO({ suppressMilliseconds: true })!
}

/** `2026-11-21 08:00` */
export function tableTime(moment: DateTime): string {
  return moment.toUTC().toFormat('yyyy-MM-dd HH:mm')
}

/**
 * All of standard input, without the line's end that `echo` adds.
 */
async function readInput(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new CommandFailure(
      '--password-stdin needs a pipe or a file, as a terminal would show the password; without the flag it is asked for, unseen'
    )
  }
  const bytes = await readBytes()
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CommandFailure('The password on standard input is not UTF-8')
  }
  const password = text.replace(/\r?\n$/, '')
  if (password === '') throw new CommandFailure('Standard input holds no password')
  return password
}

async function readBytes(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk)
      length += chunk.length
      if (length > LONGEST_INPUT) break
    }
  } catch (error) {
    throw new CommandFailure(`Standard input can't be read (${(error as { code?: string }).code})`)
  }
  if (length > LONGEST_INPUT) throw new CommandFailure('Standard input is too long for a password')
  return Buffer.concat(chunks)
}

/**
 * What there is to say about an error. A driver's message repeats the whole statement with its
 * values, hashes of passwords among them, so only its code is shown. [B11]
 */
function explain(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string }
  if (code === 'E_PROMPT_CANCELLED') return 'Cancelled'
  if (typeof code !== 'string' || code.startsWith('E_')) return message ?? String(error)
  if (/no such table|does not exist|doesn't exist/.test(message ?? '')) {
    return "The admin's tables are missing. Create them with: node ace migrate"
  }
  return `The database can't be used (${code})`
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
