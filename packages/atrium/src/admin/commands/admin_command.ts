import type { DateTime } from 'luxon'
import { ask, Command, CommandFailure, errorMessage } from '#crud/commands/command'
import type { AdminSite } from '../admin_site.js'
import type { AdminUserService, PasswordOwner } from '../authentication/admin_user_service.js'

export { CommandFailure, errorMessage }

/**
 * Maximum input in bytes: more than any password needs, and bounded so that an endless stream cannot fill the memory
 */
const LONGEST_INPUT = 64 * 1024

/**
 * Base class of the admin site's commands: finds the site, reads passwords without echo, and reports missing tables.
 */
export abstract class AdminCommand extends Command {
  /** Skips the validation with `--help`: Ace would prompt for the arguments after printing the help. */
  static override validate(parsed: Parameters<typeof Command.validate>[0]): void {
    if (parsed.flags.help === undefined) super.validate(parsed)
  }

  protected async site(): Promise<AdminSite> {
    return await this.app.container.make('admin.site')
  }

  /**
   * @param missing  required flags that are missing; false for one that is given
   * @throws CommandFailure  if flags are missing and there is no terminal to prompt for them
   */
  protected requireFlags(...missing: Array<string | false>): void {
    const flags = missing.filter((flag) => flag !== false)
    if (flags.length > 0 && !this.canAsk) {
      throw new CommandFailure(
        `This is not a terminal, so the command cannot prompt: use ${flags.join(' and ')}`
      )
    }
  }

  /** Reads a new password: prompts for it twice, or reads standard input. */
  protected async readPassword(
    users: AdminUserService,
    owner: PasswordOwner,
    fromInput: boolean
  ): Promise<string> {
    if (fromInput) return await readInput()

    const password = await ask(() =>
      this.prompt.secure('Password', {
        validate: (value) => errorMessage(() => users.checkPassword(value, owner)),
      })
    )
    const again = await ask(() => this.prompt.secure('Password again'))
    if (password !== again) throw new CommandFailure('The two passwords differ')
    return password
  }

  protected explain(error: unknown): string {
    const { code, message } = error as { code?: unknown; message?: string }
    const isDriver = typeof code === 'string' && !code.startsWith('E_')
    if (isDriver && /no such table|does not exist|doesn't exist/.test(message ?? '')) {
      return "The admin's tables are missing. Create them with: node ace migrate"
    }
    return super.explain(error)
  }
}

/** Formats a time as `2026-11-21T08:00:00Z`. */
export function isoTime(moment: DateTime): string {
  return moment.toUTC().toISO({ suppressMilliseconds: true })!
}

/** Formats a time as `2026-11-21 08:00`. */
export function tableTime(moment: DateTime): string {
  return moment.toUTC().toFormat('yyyy-MM-dd HH:mm')
}

/** Reads standard input to the end, without the newline that `echo` adds. */
async function readInput(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new CommandFailure(
      '--password-stdin needs a pipe or a file, as a terminal would show the password; without the flag, the command prompts for it'
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
