import type { EndpointCreator } from './endpoint_creator.js'

/**
 * The models that are publicly writable only because `access` of config/crud.ts is `'public'`. [P10]
 *
 * @returns their names, each once
 */
export function publicWritesByDefault(endpoints: readonly EndpointCreator[]): string[] {
  const open = endpoints.filter((one) =>
    one.routes.some(
      ({ method, operation }) =>
        method !== 'GET' && one.isAccessDefault(operation) && one.accessOf(operation) === 'public'
    )
  )
  return namesOf(open)
}

/**
 * The models that require a token because neither their options nor the configuration, which ships
 * without `access`, say otherwise. [P10]
 *
 * @returns their names, each once
 */
export function undecided(endpoints: readonly EndpointCreator[]): string[] {
  return namesOf(
    endpoints.filter((one) => one.routes.some(({ operation }) => one.isUndecided(operation)))
  )
}

function namesOf(endpoints: readonly EndpointCreator[]): string[] {
  return [...new Set(endpoints.map(({ resource }) => resource.name))]
}
