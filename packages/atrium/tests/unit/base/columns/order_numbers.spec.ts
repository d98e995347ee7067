import { test } from '@japa/runner'
import { GAP, numberAfter, numbersBetween, reordered } from '#base/columns/order_numbers'
import { runs } from '#tests/helpers/random_runs'

const isIncreasing = (places: readonly number[]) =>
  places.every((place, index) => index === 0 || place > places[index - 1])

test.group('Numbers of ordered rows', () => {
  test('[order] a new row is ordered after the last one, and its number stays within the range of the column', ({
    assert,
  }) => {
    assert.equal(numberAfter(null), GAP)
    assert.equal(numberAfter(700), 700 + GAP)
    assert.equal(numberAfter(32_760, 32_767), 32_767)
  })

  test('[order] numbers between two rows increase, and are null if the gap has no free number', ({
    assert,
  }) => {
    assert.deepEqual(numbersBetween(100, 200, 1), [150])
    assert.deepEqual(numbersBetween(100, 103, 2), [101, 102])
    assert.isNull(numbersBetween(100, 101, 1))
    assert.isNull(numbersBetween(100, 100, 1))
    assert.deepEqual(numbersBetween(null, 100, 2), [100 - 2 * GAP, 100 - GAP])
    assert.deepEqual(numbersBetween(100, null, 2), [100 + GAP, 100 + 2 * GAP])
  })

  test('[order] rows in a new order have increasing numbers, of which the fewest change', ({
    assert,
  }) => {
    assert.deepEqual(reordered([100, 200, 300]), [100, 200, 300])
    assert.deepEqual(reordered([300, 100, 200]), [0, 100, 200])
    assert.deepEqual(reordered([100, null, 200]), [100, 150, 200])
    assert.deepEqual(reordered([1, null, 2]), [GAP, 2 * GAP, 3 * GAP])
    assert.deepEqual(reordered([null, null]), [GAP, 2 * GAP])
    for (let run = 0; run < runs(400); run++) {
      const places = Array.from({ length: Math.floor(Math.random() * 9) }, () =>
        Math.random() < 0.2 ? null : Math.floor(Math.random() * 40)
      )
      const result = reordered(places)
      assert.lengthOf(result, places.length)
      assert.isTrue(isIncreasing(result), JSON.stringify([places, result]))
    }
  })
})
