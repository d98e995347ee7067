import { test } from '@japa/runner'
import { tidy } from '#crud/scaffold/generated_files'

const FACTORY = `import factory from '@adonisjs/lucid/factories'

export const LineFactory = factory
  .define(Line, ({ faker }) => ({
    text: faker.lorem.words(3), // it isn't unique (yet
    unit: faker.helpers.arrayElement(['hour', 'it\\'s {'] as const),
  }))
  /* Records that it must refer to are made with it, unless they were given. */
  .before('create', async (_, row, context) => {
    if (row.invoiceId === undefined) {
      const invoice = await InvoiceFactory.useCtx(context).create()
      row.invoiceId = invoice.id
    }
  })
  .build()
`

const NAMES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth']
const QUOTED = NAMES.map((name) => `'${name}'`)

test.group('Formatting of generated code', () => {
  test('[P12] code is indented by its brackets, whatever its texts and comments contain', ({
    assert,
  }) => {
    assert.equal(tidy(FACTORY.replaceAll(/^ +/gm, '')), FACTORY)
    assert.equal(tidy(FACTORY), FACTORY)
    assert.equal(
      tidy('\n\nconst one = ["a","b\\n"]\n\n\n\nconst two = 2'),
      ['const one = [\'a\', "b\\n"]', '', 'const two = 2', ''].join('\n')
    )
  })

  test('[P12] a line that is too long is broken: {what}')
    .with([
      {
        what: 'an object alone in its call',
        line: `@AdminView({ listColumns: [${QUOTED.slice(2).join(', ')}], title: 'first, second' })`,
        wanted: `@AdminView({
  listColumns: [${QUOTED.slice(2).join(', ')}],
  title: 'first, second',
})`,
      },
      {
        what: 'a list',
        line: `const LIST = [${[...QUOTED, ...QUOTED].join(', ')}]`,
        wanted: `const LIST = [\n${[...QUOTED, ...QUOTED].map((one) => `  ${one},`).join('\n')}\n]`,
      },
      {
        what: 'calls',
        line: "table.integer('paying_client_id').unsigned().notNullable().references('id').inTable('clients').index()",
        wanted: [
          ...['table', "  .integer('paying_client_id')", '  .unsigned()', '  .notNullable()'],
          ...["  .references('id')", "  .inTable('clients')", '  .index()'],
        ].join('\n'),
      },
      {
        what: 'a union of types',
        line: `declare state: ${[...QUOTED].join(' | ')} | null`,
        wanted: `declare state:\n${[...QUOTED, 'null'].map((one) => `  | ${one}`).join('\n')}`,
      },
    ])
    .run(({ assert }, { line, wanted }) => {
      assert.equal(tidy(line), `${wanted}\n`)
    })
})
