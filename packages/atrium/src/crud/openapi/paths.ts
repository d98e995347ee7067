import type { EndpointRoute } from '../endpoints/endpoint_route.js'
import type { OperationObject, ParameterObject, PathItem } from './openapi_types.js'

/**
 * The paths of the document. Two paths that differ only by the names of their parameters are one path
 * there, so the second takes over the names of the first.
 */
export class Paths {
  readonly all: Record<string, PathItem> = {}
  readonly #byShape = new Map<string, string[]>()

  /** @param operation  begins with its path parameters, in the path's order */
  add({ path, method }: EndpointRoute, operation: OperationObject): void {
    const own = parameterNames(path)
    const shape = path.replace(PARAMETER, '{}')
    const names = this.#byShape.get(shape) ?? own
    this.#byShape.set(shape, names)

    let index = 0
    const template = shape.replace(/\{\}/g, () => `{${names[index++]}}`)
    const item = (this.all[template || '/'] ??= {})
    item[method.toLowerCase() as keyof PathItem] = {
      ...operation,
      parameters: operation.parameters?.map((parameter) => {
        if (!('in' in parameter) || parameter.in !== 'path') return parameter
        return { ...parameter, name: names[own.indexOf(parameter.name)] } as ParameterObject
      }),
    }
  }
}

/* `:id`, `:id?`, `:id.json` of the router, and its `*` for the rest of a path. */
const PARAMETER = /:\w+\??|\*/g

/** The parameters of a route's path, in order. */
export function parameterNames(path: string): string[] {
  return (path.match(PARAMETER) ?? []).map((one) =>
    one === '*' ? 'rest' : one.replace(/[:?]/g, '')
  )
}
