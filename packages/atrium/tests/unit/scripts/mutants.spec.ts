import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

interface Mutant {
  line: number
  before: string
  after: string
  text: string
}

async function mutantsOf(text: string): Promise<Mutant[]> {
  const script = (await import(app.makePath('scripts/mutants.js'))) as {
    mutantsOf: (text: string) => Mutant[]
  }
  return script.mutantsOf(text)
}

test.group('scripts/mutants.js', () => {
  test('this code has the expected mutants: {text}')
    .with([
      { text: 'if (a) b()', expected: ['if (!(a)) b()', ';', 'if (a) ;'] },
      { text: 'if (a) throw b', expected: ['if (!(a)) throw b', ';', 'if (a) ;'] },
      { text: 'x = a && b.c', expected: [';', 'x = a || b.c'] },
      { text: 'x = a < b', expected: [';', 'x = a <= b'] },
      { text: 'x = !a', expected: [';', 'x = a'] },
      { text: 'x = a ? 1 : b', expected: [';', 'x = !(a) ? 1 : b', 'x = a ? 2 : b'] },
      { text: 'x = a.filter(isB)', expected: [';', 'x = a'] },
      { text: 'x = a.some(b)', expected: [';', 'x = a.every(b)'] },
      { text: 'x = await mayRead(a)', expected: [';', 'x = !(await mayRead(a))'] },
      { text: "x = a('read', true)", expected: [';', "x = a('#', true)", "x = a('read', false)"] },
    ])
    .run(async ({ assert }, { text, expected }) => {
      const mutants = await mutantsOf(text)
      assert.sameMembers(
        mutants.map((one) => one.text),
        expected
      )
    })

  test('imports, types, error messages and log calls have no mutants: {$self}')
    .with([
      "import a from 'a'",
      "interface A { b: 'c' }",
      "type A = 'b' | true",
      'const a = b as true',
      "logger.warn('a', true)",
      "const a = new Error('a')",
      "const a = 'A text'",
    ])
    .run(async ({ assert }, text) => {
      assert.deepEqual(await mutantsOf(text), [])
    })

  test('a mutant contains the number of the line that it changes', async ({ assert }) => {
    const [{ line, before, after }] = await mutantsOf('const a = 1\n\nif (a >= b) c()')
    assert.deepEqual([line, before, after], [1, '1', '2'])
    const lines = await mutantsOf('a()\nb()')
    assert.deepEqual(
      lines.map((one) => one.line),
      [1, 2]
    )
  })
})
