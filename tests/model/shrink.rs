//! Shrinks a failing case: first removes steps, then simplifies the remaining ones. proptest shrinks lists in the same
//! way, but one step at a time, which is too slow because a case takes a second.

use proptest::strategy::{BoxedStrategy, Strategy as _, ValueTree};
use proptest::test_runner::TestRunner;

use crate::operation::Step;

/// Maximum number of runs to shrink one failure.
const MAX_RUNS: usize = 150;

/// A case that failed.
pub struct Failure {
    /// Number of steps that were run, including the failed one.
    pub taken: usize,
    pub story: String,
}

type Tree = Box<dyn ValueTree<Value = Step>>;

/// A case with steps that can be simplified.
pub struct Case {
    steps: Vec<Tree>,
}

impl Case {
    pub fn draw(strategy: &BoxedStrategy<Step>, count: usize, runner: &mut TestRunner) -> Self {
        Self { steps: (0..count).map(|_| strategy.new_tree(runner).unwrap()).collect() }
    }

    pub fn steps(&self) -> Vec<Step> {
        self.steps.iter().map(ValueTree::current).collect()
    }

    /// Returns the log of the shortest failure found.
    pub fn shortened(mut self, failure: Failure, mut run: impl FnMut(&[Step]) -> Result<(), Failure>) -> String {
        let mut story = failure.story;
        self.steps.truncate(failure.taken);
        let mut runs = 0;
        let mut still_fails = |steps: &[Step]| {
            runs += 1;
            if runs > MAX_RUNS { None } else { run(steps).err() }
        };
        let mut size = self.steps.len().div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < self.steps.len() {
                let end = (start + size).min(self.steps.len());
                let steps = self.steps();
                match still_fails(&[&steps[..start], &steps[end..]].concat()) {
                    Some(failure) => {
                        self.steps.drain(start..end);
                        self.steps.truncate(failure.taken);
                        story = failure.story;
                    }
                    None => start = end,
                }
            }
            size /= 2;
        }
        for nth in 0..self.steps.len() {
            let mut simpler = self.steps[nth].simplify();
            while simpler {
                simpler = match still_fails(&self.steps()) {
                    Some(failure) => {
                        story = failure.story;
                        self.steps[nth].simplify()
                    }
                    None => self.steps[nth].complicate(),
                };
            }
        }
        story
    }
}
