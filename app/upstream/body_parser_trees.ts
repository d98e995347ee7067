/*
 * AdonisJS's body parser (@adonisjs/core 7.5.2, @adonisjs/bodyparser 11.0.4) makes trees of the names of
 * multipart fields, such as `a[4000000000]` and `a.a.a`, and its request copies them: a few bytes can exhaust
 * memory or stack. It has no option against it, and keeps files in the private `__raw_files`.
 * No issue known. It can go when the test "the parser by itself still makes trees of names" fails.
 */
import { HttpRequest } from '@adonisjs/core/http'
import '@adonisjs/core/bodyparser_middleware'
import { expectGround, hasMethods, hasText } from './expect_ground.js'

/* More values than any field of a form has */
const LONGEST_LIST = 1000

/** @throws Exception  when the parser passes fields and files to the request differently */
export function checkGround(request: object = HttpRequest.prototype): void {
  expectGround('@adonisjs/bodyparser', 'body_parser_trees', {
    'Request#setInitialBody': hasMethods(request, 'setInitialBody'),
    '__raw_files in Request#allFiles': hasText(Reflect.get(request, 'allFiles'), '__raw_files'),
  })
}

/**
 * Reads the body of a request without the fields and files whose names make a tree.
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
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isTree(value)))
}

function isTree(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > LONGEST_LIST || value.some(isTree)
  return typeof value === 'object' && value !== null && !('isMultipartFile' in value)
}
