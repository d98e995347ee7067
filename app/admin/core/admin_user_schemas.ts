import vine from '@vinejs/vine'
import {
  LONGEST_USERNAME,
  SHORTEST_PASSWORD,
  SHORTEST_USERNAME,
  type AdminUserService,
} from '../authentication/admin_user_service.js'

/** What is said with a change of a user to end the access tokens, too */
export const REVOKE_TOKENS = 'revoke_tokens'

/**
 * What may be sent of a user: the rules are the service's, in the service's words. [S20, B11]
 */
export function adminUserSchemas(users: AdminUserService) {
  const accepted = (check: (text: string) => void, name: string) =>
    vine.createRule((value, _options, field) => {
      try {
        check(value as string)
      } catch (error) {
        field.report((error as Error).message, name, field)
      }
    })()

  /* The lengths stand here for the form's sake; not that of the longest password, as browsers would cut
   * off what is pasted, and nobody would know. */
  const create = vine.object({
    username: vine
      .string()
      .minLength(SHORTEST_USERNAME)
      .maxLength(LONGEST_USERNAME)
      .use(accepted((text) => users.checkUsername(text), 'username')),
    password: vine
      .string()
      .minLength(SHORTEST_PASSWORD)
      .use(accepted((text) => users.checkPassword(text), 'password')),
    is_superuser: vine.boolean().optional(),
  })
  const update = vine.object({
    ...create.partial().getProperties(),
    [REVOKE_TOKENS]: vine.boolean().optional(),
  })
  return { create, update }
}
