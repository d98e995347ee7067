import vine from '@vinejs/vine'
import { InvalidPermissions, readPermissions } from '../permissions/document.js'

export const LONGEST_ROLE_NAME = 64
export const LONGEST_DESCRIPTION = 255

/** Value of `--role` for no role */
export const NO_ROLE = 'none'

/**
 * @returns what is wrong with the name of a role, if anything is
 */
export function roleNameFault(name: string): string | null {
  if (name.trim() === '' || name !== name.trim()) {
    return 'The name of a role is not empty, and neither begins nor ends with a space'
  }
  if ([...name].length > LONGEST_ROLE_NAME) {
    return `The name of a role has ${LONGEST_ROLE_NAME} characters at most`
  }
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'The name of a role has one line only'
  return name.toLowerCase() === NO_ROLE
    ? `No role is called ${NO_ROLE}: it stands for none at the command line`
    : null
}

const name = vine.createRule((value, _options, field) => {
  const fault = typeof value === 'string' ? roleNameFault(value) : null
  if (fault) field.report(fault, 'roleName', field)
})

const permissions = vine.createRule((value, _options, field) => {
  try {
    field.mutate(readPermissions(value), field)
  } catch (error) {
    if (!(error instanceof InvalidPermissions)) throw error
    field.report(`The permissions field: ${error.message}`, 'permissions', field)
  }
})

/**
 * Schemas of a role's create and update. [U6]
 */
export function adminRoleSchemas() {
  const create = vine.object({
    name: vine.string().maxLength(LONGEST_ROLE_NAME).use(name()),
    description: vine.string().maxLength(LONGEST_DESCRIPTION).optional(),
    permissions: vine.any().use(permissions()),
  })
  return { create, update: create.partial() }
}
