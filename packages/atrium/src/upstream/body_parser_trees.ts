/*
 * AdonisJS's body parser (@adonisjs/core 7.5.2, @adonisjs/bodyparser 11.0.4) makes trees of the names of
 * multipart fields, such as `a[4000000000]` and `a.a.a`, and its request copies them: a few bytes can exhaust
 * memory or stack. It has no option against it, and keeps files in the private `__raw_files`.
 * No issue known. It can go when the test "the parser by itself still makes trees of names" fails.
 */
import { HttpRequest } from '@adonisjs/core/http'
import '@adonisjs/core/bodyparser_middleware'
import { expectGround, hasMethods, hasText } from './expect_ground.js'

/* More values than any form has */
const LONGEST_LIST = 10_000

/* Of a row, and of what belongs to all rows */
const ROW = /^\d{1,6}$/
const OWN_NAME = /^__[a-z]+$/

/** @throws Exception  when the parser passes fields and files to the request differently */
export function checkGround(request: object = HttpRequest.prototype): void {
  expectGround('@adonisjs/bodyparser', 'body_parser_trees', {
    'Request#setInitialBody': hasMethods(request, 'setInitialBody'),
    '__raw_files in Request#allFiles': hasText(Reflect.get(request, 'allFiles'), '__raw_files'),
  })
}

/**
 * Reads the body of a request without the fields and files whose names make a tree, unless they are those of rows.
 *
 * @param read  calls AdonisJS's parser
 */
export async function readWithoutTrees(
  request: HttpRequest,
  read: () => Promise<void>
): Promise<void> {
  const keep = request.setInitialBody.bind(request)
  request.setInitialBody = (body) => keep(withoutTrees(body))
  await read()
  Object.assign(request, { __raw_files: withoutTrees(request.allFiles()) })
}

function withoutTrees(fields: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      isTree(value) ? fieldsOfRows(name, value as object) : [[name, value]]
    )
  )
}

/**
 * The fields of the rows of a form by their own names: `items.0.quantity`, `items.__more`. All else that makes a
 * tree is left out.
 */
function fieldsOfRows(name: string, rows: object): Array<[string, unknown]> {
  return Object.entries(rows).flatMap(([index, row]): Array<[string, unknown]> => {
    const place = `${name}.${index}`
    if (typeof row === 'string') return OWN_NAME.test(index) ? [[place, row]] : []
    if (!ROW.test(index) || typeof row !== 'object' || row === null) return []
    return Object.entries(row)
      .filter(([, value]) => !isTree(value) && !isFile(value))
      .map(([field, value]) => [`${place}.${field}`, value])
  })
}

function isTree(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > LONGEST_LIST || value.some(isTree)
  return typeof value === 'object' && value !== null && !isFile(value)
}

function isFile(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'isMultipartFile' in value
}
