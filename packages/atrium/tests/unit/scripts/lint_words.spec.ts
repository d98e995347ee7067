import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

interface Place {
  line: number
  word: string
}

async function wordsIn(path: string, text: string): Promise<Array<[number, string]>> {
  const { findWords } = (await import(app.makePath('scripts/lint_words.js'))) as {
    findWords: (path: string, text: string) => Place[]
  }
  return findWords(path, text).map(({ line, word }) => [line, word])
}

test.group('scripts/lint_words.js', () => {
  test('listed words are found in comments, messages and titles: {path}')
    .with([
      { path: 'packages/atrium/src/crud/some.ts', text: '/** Returns an answer */', line: 1 },
      { path: 'packages/atrium/src/crud/some.ts', text: 'a()\nb() // The answer of a', line: 2 },
      { path: 'packages/atrium/src/crud/some.ts', text: "log('No answer of the server')", line: 1 },
      {
        path: 'packages/atrium/tests/some.spec.ts',
        text: "test('[K4] one answer', () => {",
        line: 1,
      },
      { path: 'packages/atrium/lang/en/admin.json', text: '"name": "The answer"', line: 1 },
      { path: 'packages/atrium/views/admin/some.edge', text: '{{-- An answer --}}', line: 1 },
      { path: 'docs/some.md', text: '# Page\n\nAn answer', line: 3 },
    ])
    .run(async ({ assert }, { path, text, line }) => {
      assert.deepEqual(await wordsIn(path, text), [[line, 'answer']])
    })

  test('listed words in code, translation keys and older releases are not reported: {path}')
    .with([
      { path: 'packages/atrium/src/crud/some.ts', text: "const answer = read('answer')" },
      { path: 'packages/atrium/tests/some.spec.ts', text: "assert.equal(text, 'No answer yet')" },
      { path: 'packages/atrium/lang/en/admin.json', text: '"answer": "{answer, number} records"' },
      { path: 'packages/atrium/views/admin/some.edge', text: '<p class="answer">{{ answer }}</p>' },
      { path: 'docs/some.md', text: 'Set `limits.answer`\n```ts\nconst answer = 1\n```' },
      { path: 'CHANGELOG.md', text: '# Changelog\n\n## [0.2.0] - 2026-01-01\n\n- An answer' },
    ])
    .run(async ({ assert }, { path, text }) => {
      assert.deepEqual(await wordsIn(path, text), [])
    })

  test('listed words are found in file names, except in those of unit tests', async ({
    assert,
  }) => {
    assert.deepEqual(await wordsIn('packages/atrium/src/crud/last_answer.ts', ''), [[0, 'answer']])
    assert.deepEqual(await wordsIn('packages/atrium/tests/unit/crud/last_answer.spec.ts', ''), [])
  })
})
