import { withoutBase } from '#base/http/base_path'
import string from '@adonisjs/core/helpers/string'
import type { EndpointCreator } from '../endpoints/endpoint_creator.js'
import type { EndpointRoute } from '../endpoints/endpoint_options.js'
import type { Operation } from '../operations/operation.js'
import type { OperationObject, ParameterObject, PathItem } from './openapi_types.js'

/** Names of a model's endpoints in the API schema. */
export interface EndpointNames {
  /** Name such as `OrderLine`: the schema of an item, and the prefix of other schemas */
  item: string
  /** Name such as `OrderLines` */
  items: string
  /** Names in prose, such as `order line` and `order lines` */
  one: string
  many: string
}

const VERBS: Record<Exclude<Operation, 'read_multi'>, string> = {
  create: 'create',
  read: 'get',
  update: 'update',
  delete: 'delete',
  db_delete: 'dbDelete',
}

/** Suffixes of the schemas of one model. */
const BESIDE = ['', 'Part', 'Create', 'Update', 'List', 'Batch', 'BatchResponse']

/** A set of unique names: a repeated name gets a number. */
export class UniqueNames {
  readonly #taken: Set<string>

  constructor(reserved: string[] = []) {
    this.#taken = new Set(reserved)
  }

  /** @param endings  suffixes with which the name must also be unique */
  take(wanted: string, endings: string[] = ['']): string {
    let name = wanted
    for (let number = 2; endings.some((one) => this.#taken.has(name + one)); number++) {
      name = `${wanted}${number}`
    }
    for (const ending of endings) this.#taken.add(name + ending)
    return name
  }
}

/**
 * Assigns names to the endpoints of all models. If several models have the same name, the one at the default path of
 * its table gets the name unchanged, and the path is added to the names of the others.
 */
export function nameEndpoints(
  all: readonly EndpointCreator[],
  schemas: UniqueNames
): Map<EndpointCreator, EndpointNames> {
  const names = new Map<EndpointCreator, EndpointNames>()
  for (const same of Map.groupBy(all, ({ resource }) => identifier(resource.name)).values()) {
    const plain = same.find((one) => one.isAtTablePath) ?? same[0]
    for (const one of same)
      names.set(one, namesOf(one, one === plain ? '' : pathSuffix(one), schemas))
  }
  return names
}

/**
 * Returns a name such as `listProducts`, `createProduct`, `getProductsLongest`.
 */
export function operationId(route: EndpointRoute, { path }: EndpointCreator, names: EndpointNames) {
  if (route.openapi?.operationId) return route.openapi.operationId
  if (route.isCustom) {
    const below = route.path.slice(path.length).replace(/:(\w+)\??/g, 'by-$1')
    return `${route.method.toLowerCase()}${names.items}${pascal(below)}`
  }
  if (route.name === 'put') return `put${names.item}`
  if (route.name === 'read_paginated') return `paginate${names.items}`
  if (route.operations) return `batch${names.items}`
  if (route.name === 'update_many') return `update${names.items}`
  if (route.name === 'delete_many') return `delete${names.items}`
  if (route.name === 'aggregate') return `aggregate${names.items}`
  if (route.operation === 'read_multi') return `list${names.items}`
  return VERBS[route.operation] + names.item
}

function namesOf(
  { resource }: EndpointCreator,
  suffix: string,
  schemas: UniqueNames
): EndpointNames {
  const name = identifier(resource.name)
  const one = string.noCase(name)
  return {
    item: schemas.take(name + suffix, BESIDE),
    items: string.pluralize(name) + suffix,
    one,
    many: string.pluralize(one),
  }
}

function pathSuffix({ path }: EndpointCreator): string {
  return `At${pascal(path.split('/').at(-1)!)}`
}

/** Returns a valid name for a component or an operation, derived from any class name. */
export function identifier(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '') || 'Item'
}

function pascal(text: string): string {
  return string.pascalCase(text.replace(/[^A-Za-z0-9]+/g, ' '))
}

/**
 * Paths of the document. Two paths that differ only in the names of their parameters are the same path in OpenAPI, so
 * the second one uses the parameter names of the first.
 */
export class Paths {
  readonly all: Record<string, PathItem> = {}
  readonly #byShape = new Map<string, string[]>()

  /** @param operation  operation whose first parameters are the path parameters, in the order of the path */
  add(route: EndpointRoute, operation: OperationObject): void {
    const { method } = route
    /* The server of the document has the base path. */
    const path = withoutBase(route.path)
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

/* Router parameters `:id`, `:id?`, `:id.json`, and `*` for the rest of a path. */
const PARAMETER = /:\w+\??|\*/g

/** Returns the parameters of a route's path, in order. */
export function parameterNames(path: string): string[] {
  return (path.match(PARAMETER) ?? []).map((one) =>
    one === '*' ? 'rest' : one.replace(/[:?]/g, '')
  )
}
