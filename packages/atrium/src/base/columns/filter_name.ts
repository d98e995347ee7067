import { listed, ValueError } from '../errors.js'
import { isOperator, OPERATORS, type Operator } from './operators.js'

/** The parts of a filter's name. */
export interface FilterName {
  name: string
  column: string
  operator: Operator
}

/* The paging parameters of every list, which a filter of the same name would hide. */
const RESERVED = ['offset', 'limit', 'page', 'itemsPerPage']

/**
 * Splits `price__gte` into column and operator. A column's own name may contain two underscores: only
 * the part after the last ones can be an operator.
 *
 * @throws ValueError  for a reserved name or an unknown operator
 */
export function parseFilterName(name: string): FilterName {
  if (RESERVED.includes(name)) {
    throw new ValueError(
      `Invalid filter name '${name}': ${listed(RESERVED)} belong to the paging of the list. A column of that name is filtered by '${name}__eq'`
    )
  }
  const cut = name.lastIndexOf('__')
  if (cut <= 0) return { name, column: name, operator: 'eq' }

  const operator = name.slice(cut + 2)
  if (!isOperator(operator)) {
    throw new ValueError(
      `Invalid filter '${name}': there is no operator '${operator}'; there are ${listed(OPERATORS)}. A column called '${name}' has the filter '${name}__eq'`
    )
  }
  return { name, column: name.slice(0, cut), operator }
}
