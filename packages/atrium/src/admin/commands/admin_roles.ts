import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { flags } from '@adonisjs/core/ace'
import type AdminRole from '../models/admin_role.js'
import type { RoleChange, RoleInFile } from '../roles/roles_file.js'
import { AdminCommand, CommandFailure } from './admin_command.js'

const DONE = { create: 'Made', update: 'Changed', delete: 'Deleted' }
const WANTED = { create: 'Missing', update: 'Differs', delete: 'Not in the file' }

/** Shows the roles, and transfers them between installations. */
export default class AdminRoles extends AdminCommand {
  static commandName = 'admin:roles'
  static description = 'Show the roles, or carry them between installations as JSON'
  static help = [
    'To carry all roles to another installation:',
    '{{ binaryName }} admin:roles --export > roles.json',
    '{{ binaryName }} admin:roles --import=roles.json',
    'An import makes and changes the roles that the file names and leaves others alone.',
  ]

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  @flags.boolean({ description: 'Print the roles as JSON that --import reads' })
  declare export: boolean

  @flags.string({ description: 'Make and change the roles that this file names' })
  declare import: string | undefined

  @flags.boolean({
    description: 'With --import: write nothing, and exit with 1 where a role differs from the file',
  })
  declare check: boolean

  @flags.boolean({ description: 'With --import: delete the roles that the file does not name' })
  declare prune: boolean

  async run() {
    if (this.export && this.import !== undefined) {
      throw new CommandFailure('Use one of --export and --import=FILE')
    }
    if ((this.check || this.prune) && this.import === undefined) {
      throw new CommandFailure('--check and --prune go with --import=FILE')
    }
    if (this.export) await this.#export()
    else if (this.import !== undefined) await this.#import(this.import)
    else await this.#show()
  }

  async #export() {
    const { exportRoles } = await import('../roles/roles_file.js')
    const text = JSON.stringify(await exportRoles(), null, 2)
    /* Escapes control characters of a terminal, which JSON does not escape. */
    this.logger.log(
      text.replace(/[\u007f-\u009f]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
    )
  }

  async #import(path: string) {
    const { changesTo, readRolesFile } = await import('../roles/roles_file.js')
    const text = await this.#textOf(path)
    const wanted = within(path, () => readRolesFile(text))
    const { prune } = this
    const unknown = await this.#unknownIn(wanted)
    const holders = prune ? await this.#holders() : new Map<number, number>()
    const changes = this.check
      ? await changesTo(wanted, { prune })
      : await this.#apply(async (client) => await changesTo(wanted, { prune, client }))
    if (this.check && changes.length > 0) this.exitCode = 1
    if (this.json) {
      const reported = changes.map(({ kind, name, fields }) => ({ kind, name, fields }))
      return this.printJson({ changes: reported, written: !this.check, unknown })
    }
    const words = this.check ? WANTED : DONE
    for (const change of changes) {
      this.print(`${words[change.kind]}: ${inWords(change, holders)}`)
      for (const line of change.lines) this.print(`  ${line}`)
    }
    for (const line of unknown) this.logger.warning(line)
    if (changes.length === 0) this.logger.success('The roles are as the file has them')
    const { adminUserService } = await this.site()
    const error = await adminUserService.defaultRole.error()
    if (error) this.logger.warning(error)
  }

  /**
   * Returns warnings of names that the application does not have. These names are probably mistakes, but can also be
   * added later.
   */
  async #unknownIn(wanted: readonly RoleInFile[]): Promise<string[]> {
    const { unknownNames } = await import('../roles/role_errors.js')
    const site = await this.site()
    return wanted.flatMap(({ name, permissions }) =>
      unknownNames(site, permissions).map(({ kind, text, near }) => {
        if (kind === 'own') return `${name} names ${text}`
        const hint = near === undefined ? '' : `; did you mean ${near}?`
        return `${name} names ${text}, which the application does not have: it allows nothing${hint}`
      })
    )
  }

  /** Returns the number of users of each role, by role id. */
  async #holders(): Promise<Map<number, number>> {
    const { default: Role } = await import('../models/admin_role.js')
    const { holdersOf } = await import('../permissions/user_roles.js')
    const roles: AdminRole[] = await Role.all()
    return await holdersOf(
      roles.map(({ id }) => id),
      Role.query().client
    )
  }

  /** Applies all changes in one transaction. The actor of the events is this command. */
  async #apply(changesIn: (client: any) => Promise<RoleChange[]>): Promise<RoleChange[]> {
    const { runAs, systemActor } = await import('#crud')
    const { default: Role } = await import('../models/admin_role.js')
    const { inTransaction } = await import('#base/database/transaction')
    const { applyChanges } = await import('../roles/roles_file.js')
    const site = await this.site()
    return await runAs(systemActor('admin:roles'), () =>
      inTransaction(Role.query().client, async (client) => {
        await site.adminUserService.lockSuperusers(client)
        const changes = await changesIn(client)
        await applyChanges(site, changes, client)
        return changes
      })
    )
  }

  async #textOf(path: string): Promise<string> {
    try {
      return await readFile(resolve(path), 'utf8')
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === 'ENOENT') throw new CommandFailure(`The file ${path} does not exist`)
      if (code === 'EISDIR') throw new CommandFailure(`${path} is a folder, and must be a file`)
      throw new CommandFailure(`The file ${path} can't be read (${code})`)
    }
  }

  async #show() {
    const { default: Role } = await import('../models/admin_role.js')
    const { holdersOf } = await import('../permissions/user_roles.js')
    const { permissionsInWords } = await import('../models/permissions_document.js')
    const { unknownNames } = await import('../roles/role_errors.js')
    const site = await this.site()
    const roles: AdminRole[] = await Role.query().orderBy('name')
    const holders = await holdersOf(
      roles.map(({ id }) => id),
      Role.query().client
    )
    const rows = roles.map((role) => ({
      ...role.serialize({ fields: ['id', 'name', 'description', 'permissions'] }),
      role,
      users: holders.get(role.id) ?? 0,
      unknown: unknownNames(site, role.permissions).map(({ text }) => text),
    }))
    if (this.json) return this.printJson({ roles: rows.map(({ role, ...row }) => row) })
    const error = await site.adminUserService.defaultRole.error()
    if (roles.length === 0) this.logger.log('No role yet')
    else {
      this.printTable(
        ['Name', 'Users', 'Permissions'],
        rows.flatMap(({ role, users, unknown }) =>
          [
            ...permissionsInWords(role.permissions),
            ...unknown.map((text) => `(unknown: ${text})`),
          ].map((line, index) => (index === 0 ? [role.name, String(users), line] : ['', '', line]))
        )
      )
    }
    if (error) this.logger.warning(error)
  }
}

function inWords({ kind, name, fields, id }: RoleChange, holders: Map<number, number>): string {
  if (kind === 'update') return `${name} (${fields.join(', ')})`
  const users = (id !== undefined && holders.get(id)) || 0
  return users === 0 ? name : `${name} (${users} ${users === 1 ? 'user has' : 'users have'} it)`
}

/** Adds the path of the file to error messages. */
function within<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!((error as { code?: unknown }).code === 'E_VALUE')) throw error
    throw new CommandFailure(`${path}: ${(error as Error).message}`)
  }
}
