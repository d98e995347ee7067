import type { EndpointCreator } from './endpoint_creator.js'

/**
 * The models that anybody may write, and whose options do not say so: only the configuration does,
 * which ships as public. [P10]
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
 * The models that want a token because nobody has said who may call them: neither their options nor the
 * configuration, which ships without a word on it. [P10]
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
