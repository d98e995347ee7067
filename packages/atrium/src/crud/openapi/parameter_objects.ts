import type { CrudConfig } from '../define_config.js'
import { fieldNames } from '#base/columns/fields'
import { VALUES_MAX } from '#base/columns/condition'
import { splitFilterName } from '#base/columns/filter'
import type { OwnParameter } from '../request/query_string.js'
import type { Column } from '#base/columns/column'
import type { Filter } from '../resource/filters.js'
import type { Resource } from '../resource/resource.js'
import { includesOf, accessToInclude } from '../endpoints/access.js'
import { DELETED_MODES } from '#base/columns/soft_delete'
import { inputForm } from './field_schemas.js'
import type { ParameterObject, Reference, SchemaObject } from './openapi_types.js'
import { isOperator, operatorsOf } from '#base/columns/operators'
import { RelatedPath } from '../operations/related/related_path.js'

type Pagination = CrudConfig['pagination']

/** Returns the parameters that all models share, by name. */
export function sharedParameters({ limit, itemsPerPage, maximum }: Pagination) {
  const parameters: Record<string, ParameterObject> = {
    offset: query('offset', 'Number of items to skip; cannot be combined with `page`', {
      type: 'integer',
      minimum: 0,
    }),
    limit: query('limit', `Maximum number of items; default ${limit}, maximum ${maximum}`, {
      type: 'integer',
      minimum: 0,
    }),
    page: query(
      'page',
      'Number of the page, from 1; cannot be combined with `offset` and `limit`',
      {
        type: 'integer',
        minimum: 1,
      }
    ),
    itemsPerPage: query(
      'itemsPerPage',
      `Number of items on a page; default ${itemsPerPage}, maximum ${maximum}`,
      { type: 'integer', minimum: 1 }
    ),
    cursor: query(
      'cursor',
      'Empty for the first part, else `next_cursor` of the previous response, with the same sort and filters. ' +
        'Stable while items are added and removed; cannot be combined with `page` or `offset`',
      { type: 'string' }
    ),
    count: query(
      'count',
      '`false` leaves `total_count` out, which is faster; with `estimate` it can be an estimate',
      { enum: ['true', 'false', 'estimate'] }
    ),
  }
  return parameters
}

/** Returns the request headers. */
export function headerParameters(): Record<string, ParameterObject> {
  const header = (
    name: string,
    description: string,
    schema: SchemaObject = { type: 'string' }
  ) => ({
    [name]: { name, in: 'header' as const, description, schema },
  })
  return {
    ...header(
      'Prefer',
      'The response of an update: the item, or nothing; null without this header',
      {
        type: 'string',
        examples: ['return=representation', 'return=minimal'],
      }
    ),
    ...header('If-None-Match', 'An `ETag`: 304 if the response would be the same'),
    ...header(
      'If-Match',
      'An `ETag`: 412 if the item has changed since then, and nothing is written'
    ),
    ...header(
      'Idempotency-Key',
      'A text that you choose: a second request with the same text and body returns the same response, and writes nothing',
      { type: 'string', maxLength: 255, examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'] }
    ),
  }
}

/** Returns the engine's parameters for the resource. `include` exists only for a model with relations. */
export function ownParameters(
  resource: Resource,
  names: readonly OwnParameter[]
): Array<ParameterObject | Reference> {
  return names
    .filter((name) => name !== 'include' || includesOf(resource).size > 0)
    .map((name) => ownParameter(resource, name))
}

function ownParameter(resource: Resource, name: OwnParameter): ParameterObject | Reference {
  switch (name) {
    case 'sort': {
      const names = [...resource.sortable.keys(), ...relatedSorts(resource)]
      return query(
        'sort',
        'Names separated by commas, with a minus for descending; ties, and a list without it, are sorted by the key. ' +
          namesAre(names),
        { ...listOf(names, '-?'), examples: examplesOfSort(resource) }
      )
    }
    case 'fields':
      return query(
        'fields',
        `Names separated by commas: the items have only these. ${namesAre(fieldNames(resource))}`,
        listOf(fieldNames(resource))
      )
    case 'include': {
      const names = [...includesOf(resource).keys()]
      return query(
        'include',
        'Names of relations separated by commas: the items include the related ones. ' +
          namesAre(names),
        listOf(names)
      )
    }
    case 'deleted':
      return query('deleted', 'Whether to include deleted items, or to return only these', {
        type: 'string',
        enum: [...DELETED_MODES],
      })
    default:
      return { $ref: `#/components/parameters/${name}` }
  }
}

/** Lists the names in prose, because the API page does not show patterns. */
function namesAre(names: string[]): string {
  return `Names are ${names.map((name) => `\`${name}\``).join(', ')}`
}

/** Returns the path parameters, from the columns of the key. */
export function keyParameters({ key }: Resource): ParameterObject[] {
  return key.params.map((name, index) => ({
    name,
    in: 'path',
    required: true,
    description:
      key.params.length > 1
        ? `Part of the key: \`${key.columns[index].apiName}\``
        : 'The key of the item',
    schema: inputForm(key.columns[index]),
  }))
}

/**
 * Returns the parameter of a declared filter.
 */
export function filterParameter(filter: Filter): ParameterObject {
  const { name, column, operator, defaultValue } = filter
  const schema = filterSchema(column, operator)
  const isItem = column.element !== undefined && operator === 'contains'
  const words = isItem ? `${column.apiName} has this item` : WORDS[operator](column.apiName, name)
  const fallback = defaultValue === null ? '' : `; default \`${defaultValue}\``
  const parameter = query(name, `Only those whose ${words}${fallback}`, schema)
  return schema.type === 'array' ? { ...parameter, style: 'form', explode: false } : parameter
}

/** Returns the parameters of json-server. */
export function jsonServerParameters({ filters, key }: Resource): ParameterObject[] {
  const count = (name: string, description: string, minimum = 0) =>
    query(name, description, { type: 'integer', minimum })
  const [column, ...others] = key.columns
  const hasKey = others.length === 0 && !filters.get(column.apiName)
  const search = query('q', 'Each word is in any field', { type: 'string', maxLength: 200 })
  return [
    count('_start', 'Number of items to skip'),
    count('_end', 'Number of the item after the last one'),
    count('_page', 'Number of the page, from 1', 1),
    count('_limit', 'Maximum number of items'),
    query('_sort', 'Names separated by commas', { type: 'string' }),
    query('_order', '`asc` or `desc` for each name of `_sort`', { type: 'string' }),
    ...(filters.get('q') ? [] : [search]),
    ...(hasKey
      ? [query(column.apiName, 'One or several keys', { type: 'array', items: inputForm(column) })]
      : []),
  ]
}

const WORDS: Record<Filter['operator'], (column: string, name: string) => string> = {
  custom: (column, name) => `${column} passes \`${splitFilterName(name).operator}\``,
  eq: (name) => `${name} is this`,
  ne: (name) => `${name} is not this`,
  gt: (name) => `${name} is greater`,
  gte: (name) => `${name} is this or greater`,
  lt: (name) => `${name} is less`,
  lte: (name) => `${name} is this or less`,
  is: (name) => `${name} is this; null is null here`,
  is_not: (name) => `${name} is not this; null is null here`,
  like: (name) => `${name} is like this, with % for any characters and _ for a single one`,
  ilike: (name) => `${name} is like this whatever the case, with % and _`,
  not_like: (name) => `${name} is not like this, with % and _`,
  not_ilike: (name) => `${name} is not like this whatever the case, with % and _`,
  startswith: (name) => `${name} starts with this`,
  endswith: (name) => `${name} ends with this`,
  contains: (name) => `${name} contains this`,
  exact: (name) => `${name} is this, also an empty text`,
  in: (name) => `${name} is one of these, separated by commas; \`\\,\` is a comma itself`,
  not_in: (name) => `${name} is none of these, separated by commas; \`\\,\` is a comma itself`,
  between: (name) => `${name} is between these two, both included, separated by a comma`,
  or: (name) =>
    `${name} matches one of these pairs operator:value, separated by commas, as in \`eq:a,eq:b\``,
}

function filterSchema(column: Column, operator: Filter['operator']): SchemaObject {
  switch (operator) {
    case 'is':
    case 'is_not':
      return {
        type: 'string',
        enum:
          column.kind === 'boolean'
            ? ['null', 'true', 'false']
            : ['null', ...(column.element ? ['empty'] : [])],
      }
    case 'in':
    case 'not_in':
      return { type: 'array', items: comparedForm(column), maxItems: VALUES_MAX }
    case 'between':
      return { type: 'array', items: comparedForm(column), minItems: 2, maxItems: 2 }
    case 'or':
      return { type: 'string' }
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return comparedForm(column)
    case 'custom': {
      const isOpaque = column.kind === 'json' || column.kind === 'binary'
      return isOpaque ? { type: 'string' } : comparedForm(column)
    }
    default:
      return { type: 'string', maxLength: 1000 }
  }
}

/** Returns the schema of a value that is compared with the column, but need not fit into it. */
function comparedForm(column: Column): SchemaObject {
  const { maxLength, examples, ...form } = inputForm(column)
  return form
}

export function query(name: string, description: string, schema: SchemaObject): ParameterObject {
  const { description: form, ...rest } = schema
  const whole = [description, form].filter(Boolean).join('. ')
  return { name, in: 'query', ...(whole && { description: whole }), schema: rest }
}

/** Returns the schema of a comma-separated list of names. */
export function listOf(names: string[], before = ''): SchemaObject {
  const one = `${before}(?:${names.map(literally).join('|')})`
  return { type: 'string', pattern: `^${one}(?:,${one})*$` }
}

/**
 * Escapes a name for a pattern, with as few escapes as possible: for readability, and because the flag `u` allows no
 * others.
 */
function literally(name: string): string {
  return name.replace(/[$()*+.?[\\\]^{|}/]/g, '\\$&')
}

function examplesOfSort({ sortable }: Resource): string[] {
  const [first, second] = [...sortable.keys()]
  return [first, `-${first}`, ...(second ? [`${second},-${first}`] : [])]
}

/** Returns the parameters of the filters on related fields. */
export function relatedParameters(resource: Resource): ParameterObject[] {
  const declared = resource.filters.relatedNames.flatMap((name) => {
    const { column: place, operator } = splitFilterName(name)
    const column = pathOf(resource, place)?.columnOf(lastOf(place))
    if (!column || !isOperator(operator)) return []
    const own = { name, column, operator, fallback: undefined, defaultValue: null }
    return inWords(filterParameter(own), column.apiName, place)
  })
  const open = [...resource.filters.openNames].flatMap((relation) =>
    fieldsOf(resource, relation).flatMap((column) => {
      const operators = operatorsOf(column).filter((one) => one !== 'eq')
      const place = `${relation}.${column.apiName}`
      if (!operatorsOf(column).includes('eq')) return []
      const own = { column, fallback: undefined, defaultValue: null }
      const [parameter] = inWords(
        filterParameter({ ...own, name: place, operator: 'eq' }),
        column.apiName,
        place
      )
      const others = operators.map((one) => `\`${place}__${one}\``).join(', ')
      return { ...parameter, description: `${parameter.description}. Also ${others}` }
    })
  )
  return [...declared, ...open]
}

function inWords(parameter: ParameterObject, column: string, place: string): ParameterObject[] {
  const description = parameter.description?.replace(column, `\`${place}\``)
  return [{ ...parameter, description }]
}

/** Loads the resources of the relations that the filters of a resource name. */
export async function loadRelated(resource: Resource): Promise<void> {
  const { openNames, relatedNames } = resource.filters
  const places = relatedNames.map((name) => splitFilterName(name).column.split('.').slice(0, -1))
  for (const place of [...places, ...[...openNames].map((name) => [name])]) {
    await RelatedPath.load(resource, place)
  }
}

/** Returns the names of related fields that the list can be sorted by. */
function relatedSorts(resource: Resource): string[] {
  const { filters } = resource
  const declared = filters.relatedNames.map((name) => splitFilterName(name).column)
  const open = [...filters.openNames].flatMap((relation) =>
    fieldsOf(resource, relation).map(({ apiName }) => `${relation}.${apiName}`)
  )
  return [...new Set([...declared, ...open])].filter((place) => {
    const path = pathOf(resource, place)
    return path?.isToOne && path.resource.sortable.has(lastOf(place))
  })
}

/** Returns the fields of a relation's records. */
function fieldsOf(resource: Resource, relation: string) {
  return pathOf(resource, `${relation}.`)?.resource.fields ?? []
}

/**
 * Returns the path of the relations in a name; null for an unknown path, or one whose records no caller can read.
 *
 * @param place  relations and a field, such as `distributor.name`
 */
function pathOf(resource: Resource, place: string): RelatedPath | null {
  const path = RelatedPath.unrestricted(resource, place.split('.').slice(0, -1))
  return path?.includes.every((include) => accessToInclude(include)) ? path : null
}

/** Returns the field at the end of a name such as `distributor.name`. */
function lastOf(place: string): string {
  return place.split('.').at(-1)!
}

/** Returns the parameters of a write of all items that match: its filters, without defaults, and `Prefer`. */
export function bulkParameters(resource: Resource): ParameterObject[] {
  return [
    ...resource.filters.all.map((filter) => filterParameter({ ...filter, defaultValue: null })),
    ...relatedParameters(resource),
    {
      name: 'Prefer',
      in: 'header',
      required: true,
      description:
        'The number of items that may be written at most: if more match, nothing is written',
      schema: { type: 'string', pattern: '^max-affected=\\d{1,15}$', examples: ['max-affected=3'] },
    },
  ]
}
