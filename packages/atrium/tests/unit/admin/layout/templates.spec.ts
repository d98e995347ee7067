import { globSync, readFileSync } from 'node:fs'
import { test } from '@japa/runner'
import edge from 'edge.js'
import app from '@adonisjs/core/services/app'

test.group('Layout | templates', () => {
  test('tags of Edge are at the beginning of a line, as others would be printed as text', ({
    assert,
  }) => {
    const paths = globSync('{packages/atrium,resources}/views/**/*.edge', { cwd: app.makePath() })
    assert.isAbove(paths.length, 50)
    const names = Object.keys(edge.tags).join('|')
    const late = new RegExp(`^\\s*[^\\s@].*@!?(${names}|else|end)\\b`)
    const found = paths.flatMap((path) =>
      readFileSync(app.makePath(path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (late.test(line) ? [`${path}:${index + 1}`] : []))
    )
    assert.deepEqual(found, [])
  })
})
