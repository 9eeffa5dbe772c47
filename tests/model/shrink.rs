//! Makes a failing case short: first it loses steps, then the steps that are left become simpler. What proptest would do
//! with a list is the same, but one step at a time, and a case takes a second.

use proptest::strategy::{BoxedStrategy, Strategy as _, ValueTree};
use proptest::test_runner::TestRunner;

use crate::operation::Step;

/// Plays that are spent on one failure.
const PATIENCE: usize = 150;

/// A case that failed.
pub struct Failure {
    /// How many of its steps were taken, with the one that failed.
    pub taken: usize,
    pub story: String,
}

type Tree = Box<dyn ValueTree<Value = Step>>;

/// A case whose steps know how to become simpler.
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

    /// The story of the shortest failure found.
    pub fn shortened(mut self, failure: Failure, mut play: impl FnMut(&[Step]) -> Result<(), Failure>) -> String {
        let mut story = failure.story;
        self.steps.truncate(failure.taken);
        let mut plays = 0;
        let mut still_fails = |steps: &[Step]| {
            plays += 1;
            if plays > PATIENCE { None } else { play(steps).err() }
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
