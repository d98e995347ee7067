import { readFileSync } from 'node:fs'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

const MOST_NAMES = 60

/* A reason, and one name of a module */
const ENTRY = /\/\*\* .+ \*\/\nexport (?:type )?\{ \w+ \} from '\.\/[\w/]+\.js'\n/g

test.group('#crud/internals', () => {
  const source = readFileSync(app.makePath('packages/atrium/src/crud/internals.ts'), 'utf8')
  const entries = source.match(ENTRY) ?? []

  test('[K6, K6.1] #crud/internals has at most 60 names', ({ assert }) => {
    assert.isAtMost(entries.length, MOST_NAMES)
  })

  test('[K6, K6.1] #crud/internals exports only names with the reason why they are internal', ({
    assert,
  }) => {
    const rest = source.replace(ENTRY, '').replaceAll(/\/\*[^*][\s\S]*?\*\//g, '')
    assert.equal(rest.trim(), '')
    assert.isNotEmpty(entries)
  })
})
