import { currentActor } from '#base/actor'
import type { Column } from '#base/columns/column'
import { negated, readCondition, type Condition } from '#base/columns/condition'
import {
  readPlaced,
  splitFilterName,
  type FilterError,
  type NamedFilter,
} from '#base/columns/filter'
import { isOperator, operatorsOf, type Operator } from '#base/columns/operators'
import { UnreadableFilter } from '#base/errors'
import { relatedNames, type RelatedLookup } from '../../request/query_string.js'
import { conditionOfValue } from '../../resource/filters.js'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions } from '../call_options.js'
import { RelatedPath, type PathRules } from './related_path.js'

/** Which fields of related records a request can name. */
interface RelatedRules extends Partial<PathRules> {
  /** False for a name of a filter or column that is not declared, which is then unknown */
  allows?: (name: string) => boolean
  /** False for a filter that is not declared */
  declares?: (name: string) => boolean
}

/**
 * Returns the fields of related records that a call of application code names, which can be any.
 *
 * @param filters  value by filter name
 * @param sort     order such as `distributor.name,-id`
 */
export async function relatedInCode(
  resource: Resource,
  filters: Record<string, unknown> | undefined,
  { actor, client }: CallOptions,
  sort?: string
): Promise<RelatedFields | undefined> {
  const names = relatedNames(Object.keys(filters ?? {}), sort)
  return names.length === 0 ? undefined : await RelatedFields.of(resource, names, { actor, client })
}

interface Field {
  path: RelatedPath
  /** Column of the related table */
  column: Column
  /** Copy of the column for a joined table, with the name in the request */
  own: Column
}

const ANY = () => true

/* Levels of `distributor.country.name` */
const MOST_LEVELS = 2

/**
 * The fields of related records that a request names. Only fields that the actor can see are known. Hidden columns are
 * excluded, and so are relations whose records the policy refuses or authorizes one by one.
 */
export class RelatedFields implements RelatedLookup {
  readonly #fields = new Map<string, Field>()

  private constructor(private readonly declares: (name: string) => boolean) {}

  /**
   * @param names  names such as `distributor.name__contains`, without prefixes
   * @throws the refusal of `admits`
   */
  static async of(
    resource: Resource,
    names: readonly string[],
    { actor = currentActor(), client, admits, allows = ANY, declares = ANY }: RelatedRules
  ): Promise<RelatedFields> {
    const fields = new RelatedFields(declares)
    const paths = new Map<string, RelatedPath | null>()
    for (const name of names) {
      const [last, ...relations] = name.split('.').reverse()
      if (relations.length === 0 || relations.length > MOST_LEVELS || !allows(name)) continue
      const place = relations.reverse().join('.')
      if (!paths.has(place)) {
        const path = await RelatedPath.of(resource, relations, { actor, client, admits })
        paths.set(place, path)
      }
      const path = paths.get(place)
      if (path) fields.#add(place, path, last)
    }
    return fields
  }

  #add(place: string, path: RelatedPath, last: string): void {
    for (const apiName of new Set([last, splitFilterName(last).column])) {
      const name = `${place}.${apiName}`
      const column = path.columnOf(apiName)
      if (!column || this.#fields.has(name)) continue
      const own = path.joined(column, name, `crud_related_${this.#fields.size}`)
      this.#fields.set(name, { path, column, own })
    }
  }

  /** The fields by name, such as `distributor.name`. */
  get columns(): ReadonlyMap<string, Column> {
    return new Map([...this.#fields].map(([name, { own }]) => [name, own]))
  }

  filter(name: string): NamedFilter | undefined {
    const found = this.declares(name) ? this.#find(name) : undefined
    if (!found) return undefined
    const { field, operator } = found
    const read = (text: string, isNegated = false) => readText(field, operator, text, isNegated)
    return { column: field.own, operator, read, readsNegation: true }
  }

  sortable(name: string): Column | undefined {
    const field = this.#fields.get(name)
    const isSorted = field && field.column.kind !== 'json' && field.column.kind !== 'binary'
    return isSorted && field.path.isToOne ? field.own : undefined
  }

  ofValue(name: string, value: unknown, isNegated: boolean): Condition | undefined {
    const found = this.#find(name)
    if (!found) return undefined
    const { field, operator } = found
    return placed(field, operator, isNegated, (isInside) =>
      conditionOfValue(field.column, operator, value, isInside)
    )
  }

  #find(name: string): { field: Field; operator: Operator } | undefined {
    const plain = this.#fields.get(name)
    if (plain) return { field: plain, operator: 'eq' }
    const { column, operator } = splitFilterName(name)
    const field = this.#fields.get(column)
    return field && isOperator(operator) ? { field, operator } : undefined
  }
}

function readText(
  field: Field,
  operator: Operator,
  text: string,
  isNegated: boolean
): Condition | FilterError {
  const operators = operatorsOf(field.column)
  if (!operators.includes(operator)) return { reason: 'operator', operators }
  try {
    return placed(field, operator, isNegated, (isInside) =>
      isInside
        ? readPlaced(field.column, operator, text, true)
        : readCondition(field.column, operator, text)
    )
  } catch (error) {
    if (!(error instanceof UnreadableFilter)) throw error
    return { reason: 'value', value: error.error }
  }
}

/**
 * Returns the condition on the rows of the list. If a row has at most one related record, a negation applies to the
 * field of that record; otherwise to the row: none of its related records meets the condition.
 */
function placed(
  { own, path }: Field,
  operator: Operator,
  isNegated: boolean,
  read: (isInside: boolean) => Condition
): Condition {
  const isInside = isNegated && path.isToOne
  const inner = read(isInside)
  const condition: Condition = {
    type: 'custom',
    column: own,
    operator,
    value: inner,
    condition: (client, options) => path.sql([inner], client, options),
  }
  return isNegated && !isInside ? negated(path.link, condition) : condition
}
