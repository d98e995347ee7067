import vine from '@vinejs/vine'
import {
  LONGEST_USERNAME,
  SHORTEST_PASSWORD,
  SHORTEST_USERNAME,
  type AdminUserService,
} from '../authentication/admin_user_service.js'
import { attributesSchema, type UserAttributes } from '../user_attributes/user_attributes.js'

/** Form field of a user update that also revokes the user's access tokens */
export const REVOKE_TOKENS = 'revoke_tokens'

/** Field of a new user who chooses the password by a link [U12] */
export const INVITE = 'invite'

/** The roles of a user, by id [U6] */
export const ROLES = 'roles'

const MOST_ROLES = 500
const LONGEST_EMAIL = 254
const LARGEST_ID = 2 ** 31 - 1

/** As it comes from a form or from JSON */
const isNotInvited = ({ data }: { data: Record<string, unknown> }) =>
  ![true, 'true', 1, '1', 'on'].includes(data[INVITE] as string)

/**
 * Schemas for admin users. The rules and their messages are those of the service. [S20, B11]
 */
export function adminUserSchemas(users: AdminUserService, attributes: UserAttributes = {}) {
  const accepted = (check: (text: string) => void, name: string) =>
    vine.createRule((value, _options, field) => {
      try {
        check(value as string)
      } catch (error) {
        field.report((error as Error).message, name, field)
      }
    })()

  /* The lengths are for the form's attributes; not the maximum length of a password, as browsers
   * would silently cut a longer one that is pasted. */
  const password = () =>
    vine
      .string()
      .minLength(SHORTEST_PASSWORD)
      .use(accepted((text) => users.checkPassword(text), 'password'))
  const create = vine.object({
    username: vine
      .string()
      .minLength(SHORTEST_USERNAME)
      .maxLength(LONGEST_USERNAME)
      .use(accepted((text) => users.checkUsername(text), 'username')),
    password: password().optional().requiredWhen(isNotInvited),
    [INVITE]: vine.boolean().optional(),
    email: vine.string().email().maxLength(LONGEST_EMAIL).nullable().optional(),
    is_superuser: vine.boolean().optional(),
    [ROLES]: vine
      .array(vine.number().positive().withoutDecimals().max(LARGEST_ID))
      .maxLength(MOST_ROLES)
      .nullable()
      .optional(),
    attributes: attributesSchema(attributes).optional(),
  })
  const properties = create.partial().getProperties()
  const update = vine.object({
    username: properties.username,
    password: password().optional(),
    email: properties.email,
    is_superuser: properties.is_superuser,
    [ROLES]: properties[ROLES],
    attributes: properties.attributes,
    [REVOKE_TOKENS]: vine.boolean().optional(),
  })
  return { create, update }
}
