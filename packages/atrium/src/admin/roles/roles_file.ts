import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { ValueError, RuntimeError } from '#crud'
import { isObject } from '#base/checks'
import { shown } from '#base/errors'
import { LONGEST_DESCRIPTION, roleNameError } from './admin_role_crud.js'
import AdminRole from '../models/admin_role.js'
import type { Site } from '../views/site.js'
import {
  areSamePermissions,
  InvalidPermissions,
  readPermissions,
  type PermissionsDocument,
  permissionsInWords,
} from '../models/permissions_document.js'

/** A role in an export file. */
export interface RoleInFile {
  name: string
  description: string
  permissions: PermissionsDocument
}

/** Change of a role by an import. */
export interface RoleChange {
  kind: 'create' | 'update' | 'delete'
  name: string
  /** Names of the changed fields */
  fields: Array<'description' | 'permissions'>
  /** Permissions in words, with a minus for removed ones and a plus for added ones */
  lines: string[]
  /** The new role; undefined for a deletion */
  role: RoleInFile | undefined
  /** Id of the existing role; undefined for a new one */
  id: number | undefined
}

const KEYS = ['name', 'description', 'permissions']

/** Returns all roles, for an export file. */
export async function exportRoles(client?: QueryClientContract): Promise<{ roles: RoleInFile[] }> {
  const roles = await AdminRole.query({ client }).orderBy('name')
  return {
    roles: roles.map(({ name, description, permissions }) => ({
      name,
      description,
      permissions: readPermissions(permissions),
    })),
  }
}

/**
 * Parses an export file of roles.
 *
 * @throws ValueError  with all errors in the file
 */
export function readRolesFile(text: string): RoleInFile[] {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch (error) {
    throw new ValueError(`It is not JSON: ${(error as Error).message}`)
  }
  const { roles } = (isObject(value) ? value : {}) as { roles?: unknown }
  if (!Array.isArray(roles)) {
    throw new ValueError(
      'It has no list "roles", as in {"roles": [{"name": "Clerk", "permissions": {}}]}'
    )
  }
  const errors = roles.flatMap((role, index) => roleErrors(role, index))
  const names = roles.map((role) => (role as RoleInFile | null)?.name)
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  for (const name of repeated) {
    if (typeof name === 'string') errors.push(`${shown(name)} is there twice`)
  }
  if (errors.length > 0) throw new ValueError(errors.join('; '))
  return roles.map(({ name, description = '', permissions }) => ({
    name,
    description,
    permissions: readPermissions(permissions),
  }))
}

/**
 * Plans the changes that make the stored roles equal to those of a file.
 *
 * @param options.prune  true to delete the roles that are not in the file
 */
export async function changesTo(
  wanted: readonly RoleInFile[],
  { prune = false, client }: { prune?: boolean; client?: QueryClientContract } = {}
): Promise<RoleChange[]> {
  const present = await AdminRole.query({ client }).orderBy('name')
  const changes = wanted.flatMap((role): RoleChange[] => {
    const { name } = role
    const found = present.find((one) => one.name === name)
    if (!found)
      return [{ kind: 'create', name, fields: [], lines: added(role), role, id: undefined }]
    const fields = differences(found, role)
    if (fields.length === 0) return []
    const lines = fields.includes('permissions') ? changedLines(found, role) : []
    return [{ kind: 'update', name, fields, lines, role, id: found.id }]
  })
  if (!prune) return changes
  const gone = present.filter(({ name }) => !wanted.some((role) => role.name === name))
  return [
    ...changes,
    ...gone.map(({ id, name }): RoleChange => ({
      kind: 'delete',
      name,
      fields: [],
      lines: [],
      role: undefined,
      id,
    })),
  ]
}

function differences(found: AdminRole, { description, permissions }: RoleInFile) {
  const fields: RoleChange['fields'] = []
  if (found.description !== description) fields.push('description')
  if (!isSame(found.permissions, permissions)) fields.push('permissions')
  return fields
}

function added({ permissions }: RoleInFile): string[] {
  return permissionsInWords(permissions).map((line) => `+ ${line}`)
}

function changedLines(found: AdminRole, { permissions }: RoleInFile): string[] {
  const before = wordsOf(found.permissions)
  const after = permissionsInWords(permissions)
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ]
}

function wordsOf(stored: PermissionsDocument): string[] {
  try {
    return permissionsInWords(readPermissions(stored))
  } catch (error) {
    if (error instanceof InvalidPermissions) return ['permissions that can not be read']
    throw error
  }
}

/** Compares permissions. Invalid permissions in the database differ from any valid ones. */
function isSame(stored: PermissionsDocument, wanted: PermissionsDocument): boolean {
  try {
    return areSamePermissions(stored, wanted)
  } catch (error) {
    if (error instanceof InvalidPermissions) return false
    throw error
  }
}

function roleErrors(role: unknown, index: number): string[] {
  if (!isObject(role)) return [`Role ${index + 1} is ${shown(role)}, and must be an object`]
  const { name, description, permissions, ...others } = role as Record<string, unknown>
  const place = typeof name === 'string' ? shown(name) : `Role ${index + 1}`
  const errors = Object.keys(others).map(
    (key) => `${place} has the key ${shown(key)}, which is none; keys are ${KEYS.join(', ')}`
  )
  if (typeof name !== 'string') errors.push(`${place} has no name`)
  else {
    const error = roleNameError(name)
    if (error) errors.push(`${place}: ${error}`)
  }
  if (description !== undefined && !isDescription(description)) {
    errors.push(`${place}: description must be a text of ${LONGEST_DESCRIPTION} characters at most`)
  }
  try {
    readPermissions(permissions)
  } catch (error) {
    if (!(error instanceof InvalidPermissions)) throw error
    errors.push(...error.errors.map((invalid) => `${place}: ${invalid}`))
  }
  return errors
}

function isDescription(value: unknown): boolean {
  return typeof value === 'string' && [...value].length <= LONGEST_DESCRIPTION
}

/**
 * Writes the changes of an import as the form does: events are logged, and the users of the roles are affected from
 * their next request.
 */
export async function applyChanges(
  { models }: Pick<Site, 'models'>,
  changes: readonly RoleChange[],
  client: TransactionClientContract
): Promise<void> {
  const crud = models.get(AdminRole.name)?.crud
  if (!crud) throw new RuntimeError('The admin site has no roles')
  for (const { kind, id, role } of changes) {
    if (kind === 'delete') await crud.delete(id, { client })
    else if (kind === 'update') await crud.update(id, valuesOf(role!), { client })
    else await crud.create(valuesOf(role!), { client })
  }
}

function valuesOf({ name, description, permissions }: NonNullable<RoleChange['role']>) {
  return { name, description, permissions }
}
