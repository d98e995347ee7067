import { test } from '@japa/runner'
import { jsonFault } from '#admin/text/json_of_text'

test.group('Admin | where JSON is invalid', () => {
  test('[R13] an error of JSON names line, column and reason')
    .with([
      ['{"a":1 "b":2}', 'line 1, column 8: expected a comma'],
      ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: expected a comma'],
      ['{"a" 1}', 'line 1, column 6: expected a colon'],
      ['[1,2', 'line 1, column 5: expected a closing bracket ]'],
      ['{"a":1', 'line 1, column 7: expected a closing brace }'],
      ['[1,]', 'line 1, column 4: expected a value'],
      ['{a:1}', 'line 1, column 2: expected a name in double quotes in the place of a'],
      ['{"a":tru}', 'line 1, column 6: expected a value in the place of tru'],
      ['[1]x', 'line 1, column 4: expected nothing more in the place of x'],
      ['["😀" 1]', 'line 1, column 6: expected a comma'],
      ['[1 /* c */]', 'line 1, column 4: JSON has no comments'],
      ['["a', 'line 1, column 2: this text has no closing quotation mark on its line'],
    ])
    .run(({ assert }, [text, fault]) => {
      assert.throws(() => JSON.parse(text))
      assert.equal(jsonFault(text), fault)
    })

  test('[R13] valid JSON has no error', ({ assert }) => {
    assert.isUndefined(jsonFault('{"a":[1,2e3,"\\u00e4",null]}'))
  })
})
