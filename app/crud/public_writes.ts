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
  return [...new Set(open.map(({ resource }) => resource.name))]
}
