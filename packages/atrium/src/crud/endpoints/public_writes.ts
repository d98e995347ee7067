import { crudConfig } from '../settings.js'
import { listed } from '#base/errors'
import type { EndpointCreator } from './endpoint_creator.js'

/**
 * Returns the models that are publicly writable only because `access` of config/crud.ts is `'public'`.
 *
 * @returns names of the models, without duplicates
 */
export function publicWritesByDefault(endpoints: readonly EndpointCreator[]): string[] {
  if (!crudConfig().isAccessDecided) return []
  const open = endpoints.filter((one) =>
    one.routes.some(
      ({ method, middleware = [], operation }) =>
        /* Routes with middleware are left out, because it can require a login. */
        middleware.length === 0 &&
        method !== 'GET' &&
        one.isAccessDefault(operation) &&
        one.accessOf(operation) === 'public'
    )
  )
  return namesOf(open)
}

/**
 * Returns the models that require a token in production because `access` is not set in their options or the
 * configuration.
 *
 * @returns names of the models, without duplicates
 */
export function undecided(endpoints: readonly EndpointCreator[]): string[] {
  if (crudConfig().isAccessDecided) return []
  return namesOf(
    endpoints.filter((one) => one.routes.some(({ operation }) => one.isAccessDefault(operation)))
  )
}

/**
 * Returns warnings about access rules that are questionable in production, each with a fix and the affected models. The
 * environment of this process does not matter.
 */
export function accessWarnings(
  endpoints: readonly EndpointCreator[]
): Array<{ models: string[]; text: string }> {
  const closed = undecided(endpoints)
  const open = publicWritesByDefault(endpoints)
  return [
    {
      models: closed,
      text: `No access is set for ${listed(closed)}: in production the endpoints require an access token (node ace admin:token). access: 'public' in @Crud opens those of a model to everybody, access: 'token' there confirms it; access in config/crud.ts decides for all`,
    },
    {
      models: open,
      text: `Everybody can write ${listed(open)} through the endpoints, by the default of config/crud.ts; set access: 'token' there or in @Crud, or access: 'public' in @Crud where that is intended`,
    },
  ].filter(({ models }) => models.length > 0)
}

function namesOf(endpoints: readonly EndpointCreator[]): string[] {
  return [...new Set(endpoints.map(({ resource }) => resource.name))]
}
