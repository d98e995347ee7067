import { isPathSegment } from '#base/checks'
import { ValueError } from '#base/errors'
import type { Resource } from '../resource/resource.js'

/**
 * The path of a model's endpoints below the prefix: an explicit one as it is, else the one of its table.
 * [P5]
 *
 * @throws ValueError  for an invalid path
 */
export function modelPath(path: string | undefined, { name, table }: Resource): string {
  const own = (path ?? tableSegment(table)).replace(/^\/+|\/+$/g, '')
  if (own.split('/').every(isPathSegment)) return `/${own}`
  const allowed = 'letters, digits, / and . _ ~ -'
  throw new ValueError(
    path === undefined
      ? `${name}: the table is named '${table}', and a path may hold only ${allowed}; set one, as in @Crud({ path: 'names' })`
      : `${name}: path is '${path}', which may hold only ${allowed}`
  )
}

/** The default path of a table, `order_lines` -> `/order-lines`; the name of a table may not be a path. */
export function tablePath({ table }: Resource): string {
  return `/${tableSegment(table)}`
}

function tableSegment(table: string): string {
  return table.replaceAll('_', '-')
}
